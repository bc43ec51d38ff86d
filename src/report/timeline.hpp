// Which operations a small picture shows, and what happens in it, moment by moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/history_view.hpp"

namespace plumb {

// One line of a timeline: an end of an operation, or a gap in which something is not shown.
struct Moment {
  enum class Kind : std::uint8_t { kCall, kReturn, kBoth, kGap };
  Kind kind = Kind::kGap;
  OperationId operation = 0;
  std::uint32_t rank = 0;    // among all events
  std::size_t left_out = 0;  // of a gap: operations that are called in it
};

struct Timeline {
  std::vector<OperationId> operations;  // by call
  std::vector<std::uint32_t> lanes;     // that they are in, ascending
  std::vector<Moment> moments;          // in order
  std::vector<OperationId> pending;
};

struct TimelineLimits {
  std::size_t most = 0;       // operations; of a larger core the middle is left out
  std::size_t all_up_to = 0;  // a history of so many is shown with what is not of the core
  bool join_ends = false;     // make a call and its return one moment where nothing comes between
};

// The core of a violation; otherwise, the beginning of the history.
[[nodiscard]] Timeline make_timeline(const HistoryView& view, const TimelineLimits& limits);

// The timeline as lines of text, in columns by process.
[[nodiscard]] std::string timeline_text(const HistoryView& view, const Timeline& timeline,
                                        const ReportStyle& style);

}  // namespace plumb
