// What `plumb watch` says: a violation, and the summary at the end; as text or as a line of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plumb/watch.hpp>

#include "cli/console.hpp"

namespace plumb::cli {

struct WatchShown {
  std::string_view file;
  std::string_view model;
  bool json = false;
};

struct WatchCounts {
  std::uint64_t operations = 0;
  std::uint64_t events = 0;
  std::size_t open = 0;
  std::size_t violations = 0;
  std::size_t skipped = 0;  // lines
};

// `line` is that of the event that made it certain; 0: only the end did.
[[nodiscard]] std::string watch_alarm(const WatchShown& shown, const WatchViolation& alarm,
                                      std::uint32_t line, const Console& console);
// `why` is not empty where not everything could be judged.
[[nodiscard]] std::string watch_summary(const WatchShown& shown, const WatchCounts& counts,
                                        std::string_view why, const Console& console);

}  // namespace plumb::cli
