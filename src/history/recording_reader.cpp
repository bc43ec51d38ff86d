// The moment up to which a recording is read is found in two looks, since it may grow meanwhile: the first finds the latest
// stamp in it, the second counts what each log has. All that was called before that stamp is then counted: an operation that
// could not be seen by the second look was not yet recorded then, and what it did came later still. A log that goes on in a block
// that is not here is known up to its last stamp only, and so is everything.
#include "history/recording_reader.hpp"

#include <algorithm>
#include <map>
#include <queue>

#include <fmt/format.h>

#include "history/function_names.hpp"
#include "history/log_cursor.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

Error damaged(std::uint64_t offset, std::string_view what) {
  return Error{fmt::format("broken recording, in the block at byte {}: {}", offset, what)};
}

// What one program says of itself.
struct Program {
  struct Function {
    FunctionId id = 0;
    Value object;
    bool known = false;
  };
  std::vector<Function> functions;
  std::uint64_t processes = 0;         // of all its logs
  std::uint64_t processes_before = 0;  // of the programs before it
};

struct Log {
  std::uint64_t offset;
  Program* program;
  std::uint64_t process;  // in the history
  LogExtent extent;
};

class RecordingReader {
 public:
  explicit RecordingReader(std::shared_ptr<Values> values) : builder_(std::move(values)) {}

  Result<History> run(std::span<const std::string_view> blocks) {
    if (auto status = sort(blocks); !status) return status.error();
    if (auto status = find_cut(); !status) return status.error();
    if (auto status = read_names(); !status) return status.error();
    if (auto status = merge(); !status) return status.error();
    return builder_.finish();
  }

 private:
  Status sort(std::span<const std::string_view> blocks);
  Status read_names();
  Status read_names(const LogExtent& extent, Program& program);
  Status read_name(const LogBlockView& block, std::size_t slot, Program& program);
  Status find_cut();
  Status merge();
  Status take(Log& log, const LogCursor& cursor, bool& lost_before);
  void flush();

  HistoryBuilder builder_;
  FunctionNames names_;
  std::map<std::uint64_t, Program> programs_;
  std::vector<Log> logs_;        // of operations
  std::vector<Log> names_logs_;  // of the others
  bool has_objects_ = false;
  std::uint64_t start_ = ~std::uint64_t{0};
  std::uint64_t cut_ = ~std::uint64_t{0};
  std::uint64_t next_process_ = 0;
  // Columns that are on their way to the builder.
  std::vector<Value> processes_;
  std::vector<OperationHead> heads_;
  std::vector<Value> arguments_;
  std::vector<Value> results_;
  std::vector<Value> objects_;
  std::vector<Time> calls_;
  std::vector<Time> returns_;
};

Status RecordingReader::sort(std::span<const std::string_view> blocks) {
  std::map<std::uint64_t, std::vector<LogBlockView>> by_log;
  for (const std::string_view bytes : blocks) {
    if (bytes.front() == '\0') continue;  // taken, but not used yet
    auto header = LogBlockHeader::read(bytes);
    if (!header) return header.error();
    auto& log = by_log[header->log];
    if (header->number != log.size())
      return damaged(header->offset, "the block before it in its log is missing");
    if (!log.empty() &&
        (log[0].header().program != header->program || log[0].header().process != header->process))
      return damaged(header->offset, "a block of another log");
    log.emplace_back(*header, bytes.data());
  }
  for (auto& [offset, log] : by_log) {
    const LogBlockHeader header = log[0].header();
    Program& program = programs_[header.program];
    program.processes = std::max(program.processes, header.process);
    if (header.process != 0) {
      logs_.push_back({offset, &program, header.process - 1, LogExtent(std::move(log))});
      continue;
    }
    names_logs_.push_back({offset, &program, 0, LogExtent(std::move(log))});
  }
  for (auto& [offset, program] : programs_) {
    program.processes_before = next_process_;
    next_process_ += program.processes;
  }
  for (Log& log : logs_) log.process += log.program->processes_before;
  return Done{};
}

// After the second look: functions are named, and the end is noted, before it matters to an operation.
Status RecordingReader::read_names() {
  for (Log& log : names_logs_) {
    auto status = log.extent.measure(true);
    if (status) status = read_names(log.extent, *log.program);
    if (!status) return damaged(log.offset, status.error().message);
  }
  return Done{};
}

Status RecordingReader::read_names(const LogExtent& extent, Program& program) {
  for (std::size_t b = 0; b < extent.blocks().size(); ++b) {
    for (std::size_t slot = 0; slot < extent.slots(b); ++slot) {
      const LogBlockView& block = extent.blocks()[b];
      const auto behind = slots_behind(block, slot, extent.slots(b));
      if (!behind) return behind.error();
      if (auto status = read_name(block, slot, program); !status) return status;
      slot += *behind;
    }
  }
  return Done{};
}

Status RecordingReader::read_name(const LogBlockView& block, std::size_t slot, Program& program) {
  const LogSlot& content = block[slot];
  const std::string_view first = block.bytes(slot + 1, content.duration);
  const auto second = [&] {
    return block.bytes(slot + 1, std::size_t{content.duration} + content.argument).substr(content.duration);
  };
  switch (static_cast<SlotKind>(content.head & 0xFFU)) {
    case SlotKind::kEnds:
      cut_ = std::min(cut_, content.time);
      return Done{};
    case SlotKind::kRecording: {
      if (first_invalid_utf8(first)) return Error{"a model's name that is not UTF-8"};
      start_ = std::min(start_, content.time);
      builder_.set_model(std::string(first));
      if (content.argument == 0) return Done{};
      const auto initial = json_value(second(), builder_.values());
      if (!initial) return initial.error();
      builder_.set_initial(*initial);
      return Done{};
    }
    case SlotKind::kFunction: {
      const std::size_t number = content.head >> 16U;
      if (first_invalid_utf8(first)) return Error{"a function's name that is not UTF-8"};
      const auto id = names_.id(builder_, first);
      if (!id) return FunctionNames::too_many({});
      if (program.functions.size() <= number) program.functions.resize(number + 1);
      const Value object = content.argument == 0 ? kNull : string_value(second(), builder_.values());
      has_objects_ = has_objects_ || content.argument != 0;
      program.functions[number] = {*id, object, true};
      return Done{};
    }
    default:
      return Error{"a slot that names nothing"};
  }
}

Status RecordingReader::find_cut() {
  std::uint64_t latest = 0;
  for (Log& log : logs_) {
    if (auto status = log.extent.measure(false); !status) return damaged(log.offset, status.error().message);
    latest = std::max(latest, log.extent.last_stamp());
  }
  cut_ = std::min(cut_, latest);
  std::size_t slots = 0;
  for (Log& log : logs_) {
    if (auto status = log.extent.measure(true); !status) return damaged(log.offset, status.error().message);
    if (log.extent.may_go_on()) cut_ = std::min(cut_, log.extent.last_stamp());
    slots += log.extent.all_slots();
  }
  if (slots > History::kMaxOperations) return Error{"too many operations in one recording"};
  builder_.reserve_columns(slots, slots);
  return Done{};
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
    return Done{};
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
  return Done{};
}

// An operation whose process has one that never returned is that of a new process.
Status RecordingReader::take(Log& log, const LogCursor& cursor, bool& lost_before) {
  const auto& functions = log.program->functions;
  if (cursor.function() >= functions.size() || !functions[cursor.function()].known)
    return damaged(cursor.offset(), "an operation of a function without a name");
  if (lost_before) log.process = next_process_++;
  const bool running = cursor.ret() == LogCursor::kRunning;
  lost_before = running;
  const Program::Function& function = functions[cursor.function()];
  processes_.push_back(builder_.values().integer(static_cast<std::int64_t>(log.process)));
  heads_.push_back({function.id, static_cast<std::uint8_t>(cursor.arguments().size()), cursor.has_result()});
  arguments_.insert(arguments_.end(), cursor.arguments().begin(), cursor.arguments().end());
  results_.push_back(cursor.result());
  if (has_objects_) objects_.push_back(function.object);
  calls_.push_back(static_cast<Time>(cursor.call() - start_));
  returns_.push_back(running ? kNever : static_cast<Time>(cursor.ret() - start_));
  constexpr std::size_t kBatch = 1 << 14;
  if (heads_.size() == kBatch) flush();
  return Done{};
}

void RecordingReader::flush() {
  builder_.append({.process = processes_,
                   .head = heads_,
                   .arguments = arguments_,
                   .result = results_,
                   .call = calls_,
                   .ret = returns_,
                   .object = objects_});
  processes_.clear();
  heads_.clear();
  arguments_.clear();
  results_.clear();
  objects_.clear();
  calls_.clear();
  returns_.clear();
}

}  // namespace

Result<History> read_recording(std::span<const std::string_view> blocks, std::shared_ptr<Values> values) {
  return RecordingReader(std::move(values)).run(blocks);
}

}  // namespace plumb
