// A recording while it grows: its events, in their order, as soon as they are certain to be in it.
//
// An event is certain when everything before it is known; recording_reader.cpp says how one finds out. An
// operation that was stamped earlier than what has been told already may still turn up: whoever recorded it
// had not begun it then, so that to tell its call later is no more than the truth.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include <plumb/result.hpp>

#include "history/event_sink.hpp"
#include "record/log_cursor.hpp"
#include "record/recording_names.hpp"

namespace plumb {

// Whether a file is a recording, as far as its beginning tells.
[[nodiscard]] bool is_recording(const std::string& path);

class RecordingTail {
 public:
  static Result<RecordingTail> open(const std::string& path);
  ~RecordingTail();
  RecordingTail(RecordingTail&& other) noexcept;
  RecordingTail& operator=(RecordingTail&&) = delete;

  enum class Next : std::uint8_t { kEvent, kNothing, kEnded };
  // Tells the sink one event, if there is one now. kEnded: the recording is closed and all is told.
  // `status` is what the sink said.
  [[nodiscard]] Result<Next> next(EventSink& sink, Status& status);
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  struct Log;
  struct Pending {  // the next event of a log
    std::uint64_t stamp;
    bool is_return;
    std::size_t log;
    bool operator>(const Pending& other) const {
      if (stamp != other.stamp) return stamp > other.stamp;
      return is_return != other.is_return ? is_return : log > other.log;
    }
  };

  RecordingTail(std::string path, int descriptor);
  Status look(Values& values);
  Status find_blocks();
  Status add_block(const LogBlockHeader& header);
  Status find_moment();
  Status find_cut();
  Status find_event(std::size_t at);
  Status tell(EventSink& sink, Log& log);
  [[nodiscard]] Error damaged(const Log& log, const Error& error) const;

  std::string path_;
  int descriptor_;
  std::uint64_t seen_ = 0;                          // bytes up to which every block is known
  std::map<std::uint64_t, std::size_t> by_offset_;  // logs, by that of their first block
  std::vector<std::unique_ptr<Log>> logs_;
  RecordingNames names_;
  Values* values_ = nullptr;
  std::uint64_t cut_ = 0;
  bool closed_ = false;
  bool begun_ = false;
  std::int64_t next_process_;
  std::priority_queue<Pending, std::vector<Pending>, std::greater<>> pending_;
  std::uint64_t events_ = 0;
};

}  // namespace plumb
