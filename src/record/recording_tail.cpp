// Looking again and again: every look finds the blocks that are new and how far each log has come, and then
// the events up to the moment of which all is known are told in order.
#include "record/recording_tail.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr std::int64_t kFirstLostProcess =
    1'000'000;  // for those that go on after an operation that never returned

}  // namespace

struct RecordingTail::Log {
  enum class State : std::uint8_t { kBetween, kCalled, kLost };

  Log(const LogBlockView& first, Values& values)
      : offset(first.header().offset),
        number(first.header().process),
        process(static_cast<std::int64_t>(number) - 1),
        extent({first}),
        cursor(extent, 0, values) {}
  ~Log() {
    for (const LogBlockView& block : extent.blocks()) unmap(block);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  static void unmap(const LogBlockView& block) {
    char* memory = const_cast<char*>(block.bytes(0, 0).data()) - LogBlockHeader::kSize;
    ::munmap(memory, block.header().size);
  }
  // What the cursor has passed need not stay in memory.
  void forget_passed() {
    for (; forgotten < cursor.block(); ++forgotten) {
      const LogBlockView& block = extent.blocks()[forgotten];
      char* memory = const_cast<char*>(block.bytes(0, 0).data()) - LogBlockHeader::kSize;
      ::madvise(memory, block.header().size, MADV_DONTNEED);
    }
  }

  std::uint64_t offset;
  std::uint64_t number;  // 0: no operations
  std::int64_t process;  // in the events
  LogExtent extent;
  LogCursor cursor;
  State state = State::kBetween;
  std::size_t forgotten = 0;  // blocks
};

bool is_recording(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat about {};
  std::array<char, LogBlockHeader::kSize> head{};
  const bool is_file = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  const ssize_t got = is_file ? ::pread(descriptor, head.data(), head.size(), 0) : 0;
  ::close(descriptor);
  if (got != static_cast<ssize_t>(head.size())) return false;
  return is_log_block({head.data(), head.size()}) || head == decltype(head){};  // zeros: it is about to begin
}

Result<RecordingTail> RecordingTail::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error{fmt::format("cannot read: {}", std::strerror(errno)), {}, path};
  return RecordingTail(path, descriptor);
}

RecordingTail::RecordingTail(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), next_process_(kFirstLostProcess) {}
RecordingTail::RecordingTail(RecordingTail&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      next_process_(other.next_process_) {}
RecordingTail::~RecordingTail() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<RecordingTail::Next> RecordingTail::next(EventSink& sink, Status& status) {
  if (pending_.empty()) {
    const bool was_closed = closed_;
    if (auto looked = look(sink.values()); !looked) return looked.error();
    if (pending_.empty()) return was_closed ? Next::kEnded : Next::kNothing;
  }
  if (!begun_) {
    Header header;
    header.set_model(names_.model);
    if (!names_.initial.empty()) {
      auto initial = json_value(names_.initial, sink.values());
      if (!initial) return initial.error();
      if (auto set = header.set("initial", *initial, sink.values(), {}); !set) return set.error();
    }
    begun_ = true;
    status = sink.begin(header);
    if (!status) return Next::kEvent;
  }
  const std::size_t at = pending_.top().log;
  pending_.pop();
  Log& log = *logs_[at];
  status = tell(sink, log);
  ++events_;
  if (auto found = find_event(at); !found) return damaged(log, found.error());
  return Next::kEvent;
}

Status RecordingTail::look(Values& values) {
  values_ = &values;
  // As recording_reader.cpp says.
  if (auto status = find_blocks(); !status) return status;
  if (auto status = find_moment(); !status) return status;
  if (auto status = find_blocks(); !status) return status;
  if (auto status = find_cut(); !status) return status;
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    if (logs_[i]->number == 0) continue;
    logs_[i]->forget_passed();
    logs_[i]->cursor.set_cut(cut_);
    if (auto status = find_event(i); !status) return damaged(*logs_[i], status.error());
  }
  return Ok{};
}

// Up to room that was taken but has no header yet, where it goes on the next time. The first word of a header
// is written last: what was read together with it is read once more. And then the whole block is there.
Status RecordingTail::find_blocks() {
  const auto failed = [] { return Error{fmt::format("cannot read: {}", std::strerror(errno))}; };
  while (true) {
    std::array<char, LogBlockHeader::kSize> head{};
    for (int look = 0; look < 2; ++look) {
      const ssize_t got = ::pread(descriptor_, head.data(), head.size(), static_cast<off_t>(seen_));
      if (got < 0) return failed();
      if (static_cast<std::size_t>(got) < head.size() || head[0] == '\0') return Ok{};
      std::atomic_thread_fence(std::memory_order_acquire);
    }
    const std::string_view bytes(head.data(), head.size());
    if (!is_log_block(bytes)) {
      return Error{fmt::format("broken recording, at byte {}: expected the beginning of a block", seen_)};
    }
    const auto header = LogBlockHeader::read(bytes);
    if (!header) return header.error();
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) return failed();
    if (header->offset != seen_ || seen_ + header->size > static_cast<std::uint64_t>(about.st_size))
      return Error{"a block that does not stand in its place"};
    if (auto status = add_block(*header); !status) return status;
    seen_ += header->size;
  }
}

Status RecordingTail::add_block(const LogBlockHeader& header) {
  void* memory =
      ::mmap(nullptr, header.size, PROT_READ, MAP_SHARED, descriptor_, static_cast<off_t>(header.offset));
  if (memory == MAP_FAILED) return Error{fmt::format("cannot map: {}", std::strerror(errno))};
  const LogBlockView block(header, static_cast<const char*>(memory));
  const auto known = by_offset_.find(header.log);
  if (known != by_offset_.end() && header.number == logs_[known->second]->extent.blocks().size()) {
    logs_[known->second]->extent.add(block);
    return Ok{};
  }
  if (header.number != 0 || known != by_offset_.end()) {
    Log::unmap(block);
    return Error{fmt::format("broken recording, in the block at byte {}: a block of its log is missing",
                             header.offset)};
  }
  by_offset_.emplace(header.offset, logs_.size());
  logs_.push_back(std::make_unique<Log>(block, *values_));
  return Ok{};
}

Status RecordingTail::find_moment() {
  closed_ = !logs_.empty() && logs_[0]->extent.blocks().back().is_last();
  cut_ = 0;
  for (const auto& log : logs_) {
    if (log->number == 0) continue;
    if (auto status = log->extent.measure(false); !status) return damaged(*log, status.error());
    cut_ = std::max(cut_, log->extent.last_stamp());
  }
  return Ok{};
}

Status RecordingTail::find_cut() {
  for (const auto& log : logs_) {
    if (log->number == 0) continue;
    if (auto status = log->extent.measure(true); !status) return damaged(*log, status.error());
    if (log->extent.may_go_on()) cut_ = std::min(cut_, log->extent.last_stamp());
  }
  for (const auto& log : logs_) {
    if (log->number != 0) continue;
    auto status = log->extent.measure(true);
    if (status) status = names_.read(log->extent);
    if (!status) return damaged(*log, status.error());
  }
  cut_ = std::min(cut_, names_.ends);
  return Ok{};
}

// The next event of a log, if there is one.
Status RecordingTail::find_event(std::size_t at) {
  Log& log = *logs_[at];
  if (log.state == Log::State::kCalled) {
    if (auto status = log.cursor.refresh(); !status) return status;
    if (log.cursor.failed() || log.cursor.ret() != LogCursor::kRunning) {
      // One that failed has no stamp of its end: it ends when it is seen.
      pending_.push({log.cursor.failed() ? log.cursor.call() : log.cursor.ret(), true, at});
      return Ok{};
    }
  }
  const auto more = log.cursor.next();
  if (!more) return more.error();
  // Who goes on has lost what he had called, even if all that follows so far has failed: that is not told,
  // and the cursor is on it.
  if (log.state == Log::State::kCalled && (*more || log.cursor.failed())) log.state = Log::State::kLost;
  if (!*more) return Ok{};
  if (!names_.knows(log.cursor.function())) return Error{"an operation of a function without a name"};
  pending_.push({log.cursor.call(), false, at});
  return Ok{};
}

Status RecordingTail::tell(EventSink& sink, Log& log) {
  const LogCursor& cursor = log.cursor;
  const Value process = sink.values().integer(log.process);
  if (log.state == Log::State::kCalled) {
    log.state = Log::State::kBetween;
    if (cursor.failed()) return sink.fail(process, {});
    return sink.complete(process, {cursor.result(), cursor.has_result()}, {});
  }
  if (log.state == Log::State::kLost) {
    log.process = next_process_++;
    log.state = Log::State::kCalled;
    if (auto status = sink.lose(process, {}); !status) return status;
  }
  log.state = Log::State::kCalled;
  const RecordingNames::Function& function = names_.functions[cursor.function()];
  const Value object = function.object.empty() ? kNull : string_value(function.object, sink.values());
  return sink.call(sink.values().integer(log.process), function.name, cursor.arguments(), object, {});
}

Error RecordingTail::damaged(const Log& log, const Error& error) const {
  return Error{
      fmt::format("broken recording, in the log at byte {}: {}", log.offset, error.message), {}, path_};
}

}  // namespace plumb
