// A recording may grow while it is read, so that it takes two looks: the first finds the latest stamp in it,
// the second all of its blocks, anew, and what each log has. All that was called before that stamp is then
// counted: an operation that could not be seen by the second look was not yet recorded then, and what it did
// came later still. With the blocks of the first look alone, a thread that came in between would be missing,
// though others have seen what it did. A log that goes on in a block that is not here is known up to its last
// stamp only, and so is everything.
#include "record/recording_reader.hpp"

#include <algorithm>
#include <map>
#include <queue>

#include <fmt/format.h>

#include "history/column_buffers.hpp"
#include "history/function_names.hpp"
#include "record/recording_names.hpp"

namespace plumb {
namespace {

Error damaged(std::uint64_t offset, std::string_view what) {
  return Error{fmt::format("broken recording, in the block at byte {}: {}", offset, what)};
}

struct Log {
  std::uint64_t offset;
  std::uint64_t process;  // in the history
  LogExtent extent;
};

struct Logs {
  std::vector<Log> operations;
  std::vector<Log> names;
  std::uint64_t processes = 0;
};

Result<Logs> logs_of(std::span<const std::string_view> blocks) {
  std::map<std::uint64_t, std::vector<LogBlockView>> by_log;
  for (const std::string_view bytes : blocks) {
    auto header = LogBlockHeader::read(bytes);
    if (!header) return header.error();
    auto& log = by_log[header->log];
    if (header->number != log.size())
      return damaged(header->offset, "the block before it in its log is missing");
    if (!log.empty() && log[0].header().process != header->process)
      return damaged(header->offset, "a block of another log");
    log.emplace_back(*header, bytes.data());
  }
  Logs logs;
  for (auto& [offset, log] : by_log) {
    const std::uint64_t process = log[0].header().process;
    logs.processes = std::max(logs.processes, process);
    auto& kind = process != 0 ? logs.operations : logs.names;
    kind.push_back({offset, process - 1, LogExtent(std::move(log))});
  }
  return logs;
}

class RecordingReader {
 public:
  RecordingReader(Logs logs, std::uint64_t moment, std::shared_ptr<Values> values)
      : builder_(std::move(values)),
        logs_(std::move(logs.operations)),
        names_logs_(std::move(logs.names)),
        cut_(moment),
        next_process_(logs.processes) {}

  Result<History> run() {
    if (auto status = find_cut(); !status) return status.error();
    if (auto status = read_names(); !status) return status.error();
    if (auto status = merge(); !status) return status.error();
    return builder_.finish();
  }

 private:
  Status read_names();
  Status take_names();
  Status find_cut();
  Status merge();
  Status take(Log& log, const LogCursor& cursor, bool& lost_before);
  void flush();

  HistoryBuilder builder_;
  RecordingNames names_;
  std::vector<FunctionId> functions_;  // by their numbers in the recording
  std::vector<Value> function_objects_;
  std::vector<Log> logs_;
  std::vector<Log> names_logs_;
  bool has_objects_ = false;
  std::uint64_t cut_;
  std::uint64_t next_process_;
  ColumnBuffers columns_;
};

// After the second look: functions are named, and the end is noted, before it matters to an operation.
Status RecordingReader::read_names() {
  for (Log& log : names_logs_) {
    auto status = log.extent.measure(true);
    if (status) status = names_.read(log.extent);
    if (!status) return damaged(log.offset, status.error().message);
  }
  cut_ = std::min(cut_, names_.ends);
  has_objects_ = names_.has_objects();
  return take_names();
}

Status RecordingReader::take_names() {
  FunctionNames known;
  Values& values = builder_.values();
  for (const RecordingNames::Function& function : names_.functions) {
    const auto id = known.id(builder_, function.name);
    if (!id) return FunctionNames::too_many({});
    functions_.push_back(*id);
    function_objects_.push_back(function.object.empty() ? kNull : string_value(function.object, values));
  }
  builder_.set_model(names_.model);
  builder_.set_clocks(1);
  if (names_.initial.empty()) return Ok{};
  const auto initial = json_value(names_.initial, values);
  if (!initial) return initial.error();
  builder_.set_initial(*initial);
  return Ok{};
}

Status RecordingReader::find_cut() {
  std::size_t slots = 0;
  for (Log& log : logs_) {
    if (auto status = log.extent.measure(true); !status) return damaged(log.offset, status.error().message);
    if (log.extent.may_go_on()) cut_ = std::min(cut_, log.extent.last_stamp());
    slots += log.extent.all_slots();
  }
  if (slots > History::kMaxOperations) return Error{"too many operations in one recording"};
  builder_.reserve_columns(slots, slots);
  return Ok{};
}

Status RecordingReader::merge() {
  std::vector<LogCursor> cursors;
  std::vector<bool> lost_before(logs_.size());
  using Next = std::pair<std::uint64_t, std::size_t>;  // call, log
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto advance = [&](std::size_t i) -> Status {
    const auto more = cursors[i].next();
    if (!more) return damaged(cursors[i].offset(), more.error().message);
    if (*more) next.emplace(cursors[i].call(), i);
    return Ok{};
  };
  for (Log& log : logs_) {
    cursors.emplace_back(log.extent, cut_, builder_.values());
    if (auto status = advance(cursors.size() - 1); !status) return status;
  }
  while (!next.empty()) {
    const std::size_t i = next.top().second;
    next.pop();
    bool lost = lost_before[i];
    if (auto status = take(logs_[i], cursors[i], lost); !status) return status;
    lost_before[i] = lost;
    if (auto status = advance(i); !status) return status;
  }
  flush();
  return Ok{};
}

// An operation whose process has one that never returned is that of a new process.
Status RecordingReader::take(Log& log, const LogCursor& cursor, bool& lost_before) {
  if (!names_.knows(cursor.function()))
    return damaged(cursor.offset(), "an operation of a function without a name");
  if (lost_before) log.process = next_process_++;
  const bool running = cursor.ret() == LogCursor::kRunning;
  lost_before = running;
  columns_.processes.push_back(builder_.values().integer(static_cast<std::int64_t>(log.process)));
  columns_.heads.push_back({functions_[cursor.function()],
                            static_cast<std::uint8_t>(cursor.arguments().size()), cursor.has_result()});
  columns_.arguments.insert(columns_.arguments.end(), cursor.arguments().begin(), cursor.arguments().end());
  columns_.results.push_back(cursor.result());
  if (has_objects_) columns_.objects.push_back(function_objects_[cursor.function()]);
  columns_.calls.push_back(static_cast<Time>(cursor.call() - names_.start));
  columns_.returns.push_back(running ? kNever : static_cast<Time>(cursor.ret() - names_.start));
  constexpr std::size_t kBatch = 1 << 14;
  if (columns_.heads.size() == kBatch) flush();
  return Ok{};
}

void RecordingReader::flush() {
  columns_.give_to(builder_);
  columns_.clear();
}

}  // namespace

Result<std::uint64_t> recording_moment(std::span<const std::string_view> blocks) {
  auto logs = logs_of(blocks);
  if (!logs) return logs.error();
  std::uint64_t latest = 0;
  for (Log& log : logs->operations) {
    if (auto status = log.extent.measure(false); !status) return damaged(log.offset, status.error().message);
    latest = std::max(latest, log.extent.last_stamp());
  }
  return latest;
}

Result<History> read_recording(std::span<const std::string_view> blocks, std::uint64_t moment,
                               std::shared_ptr<Values> values) {
  auto logs = logs_of(blocks);
  if (!logs) return logs.error();
  return RecordingReader(std::move(*logs), moment, std::move(values)).run();
}

}  // namespace plumb
