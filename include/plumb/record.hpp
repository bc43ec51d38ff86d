// Recording what a program does, to check it afterwards or meanwhile.
//
//   auto recorder = plumb::Recorder::open("run.plumb", {.model = "queue"});       // or in_memory()
//   const auto push = (*recorder)->function("enqueue");
//   …
//   plumb::ThreadLog& log = (*recorder)->thread();      // once per thread
//   log.call(push, 7);
//   queue.push(7);
//   log.ret();                                          // log.ret(result)
//   …
//   (*recorder)->close();                               // $ plumb check run.plumb
//
// Each thread writes to its own blocks, without a lock and without a shared cache line. The call is stamped
// before the operation and the return after it (see clock.hpp). The blocks of a file are mapped into memory: what a thread
// has written is there whatever happens to the program, and operations that were running are pending.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <plumb/clock.hpp>
#include <plumb/detail/log_slot.hpp>
#include <plumb/history.hpp>
#include <plumb/result.hpp>
#include <plumb/value.hpp>

namespace plumb {

// An argument or a result, as passed to a log. Text is not copied: it must live as long as the call that takes it.
class LogValue {
 public:
  enum class Kind : std::uint8_t { kSmall, kInteger, kUnsigned, kString, kJson };

  constexpr LogValue() = default;  // null
  // NOLINTBEGIN(google-explicit-constructor): whatever an operation takes and returns is given as it is
  constexpr LogValue(std::nullptr_t) {}
  constexpr LogValue(std::nullopt_t) {}
  constexpr LogValue(std::monostate) {}
  constexpr LogValue(std::same_as<bool> auto b) : bits_(Value::boolean(b).bits()) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) constexpr LogValue(T n) {
    if (std::in_range<std::int64_t>(n) && Value::fits(static_cast<std::int64_t>(n))) {
      bits_ = Value::small(static_cast<std::int64_t>(n)).bits();
    } else {
      bits_ = LogSlot::kElsewhere;
      kind_ = std::in_range<std::int64_t>(n) ? Kind::kInteger : Kind::kUnsigned;
      number_ = static_cast<std::uint64_t>(n);
    }
  }
  constexpr LogValue(std::string_view text)
      : bits_(LogSlot::kElsewhere), kind_(Kind::kString), number_(text.size()), text_(text.data()) {}
  constexpr LogValue(const char* text) : LogValue(std::string_view(text)) {}
  LogValue(const std::string& text) : LogValue(std::string_view(text)) {}
  template <class T>
  requires std::constructible_from<LogValue, const T&>
  constexpr LogValue(const std::optional<T>& value) {
    if (value) *this = LogValue(*value);
  }
  // NOLINTEND(google-explicit-constructor)
  // Any other value, as JSON.
  [[nodiscard]] static constexpr LogValue json(std::string_view text) {
    LogValue value(text);
    value.kind_ = Kind::kJson;
    return value;
  }

  // A value that is whole without its table: null, a boolean or a small integer.
  [[nodiscard]] static constexpr bool can_be(Value value) {
    return value.is_null() || value.is_bool() || value.is_small();
  }
  [[nodiscard]] static constexpr LogValue of(Value value) {
    LogValue made;
    made.bits_ = value.bits();
    return made;
  }

  [[nodiscard]] constexpr bool is_small() const { return kind_ == Kind::kSmall; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr Kind kind() const { return kind_; }
  [[nodiscard]] constexpr std::uint64_t number() const { return number_; }
  [[nodiscard]] constexpr std::string_view text() const { return {text_, number_}; }

 private:
  std::uint32_t bits_ = 0;
  Kind kind_ = Kind::kSmall;
  std::uint64_t number_ = 0;
  const char* text_ = nullptr;
};

// A function that a recorder knows.
struct RecordedFunction {
  std::uint32_t number = 0;
};

class Recorder;

// The operations of one thread, or of anything else that does one thing at a time. Not for two threads at once.
class alignas(128) ThreadLog {
 public:
  ThreadLog(const ThreadLog&) = delete;
  ThreadLog& operator=(const ThreadLog&) = delete;

  // An operation is about to begin. One that has neither returned nor failed yet stays pending forever.
  void call(RecordedFunction function) {
    open(LogSlot::make_head(SlotKind::kOperation, 0, function.number), 0);
  }
  void call(RecordedFunction function, LogValue argument) {
    if (!argument.is_small()) [[unlikely]]
      return call_with(function, {&argument, 1});
    open(LogSlot::make_head(SlotKind::kOperation, 1, function.number), argument.bits());
  }
  template <class... More>
  requires(sizeof...(More) > 0) void call(RecordedFunction function, LogValue first, const More&... more) {
    const LogValue arguments[] = {first, LogValue(more)...};
    call_with(function, arguments);
  }
  void call_with(RecordedFunction function, std::span<const LogValue> arguments);

  // It has ended, without a result or with one.
  void ret() { finish(clock_.after(), LogSlot::kNoResult); }
  void ret(LogValue result) {
    const std::uint64_t now = clock_.after();
    if (!result.is_small()) [[unlikely]]
      return finish_with(now, result);
    finish(now, result.bits());
  }
  // The same where the result takes time to make: stamp first, say later.
  [[nodiscard]] std::uint64_t stamp() const { return clock_.after(); }
  void ret_at(std::uint64_t stamp, LogValue result) {
    if (!result.is_small()) [[unlikely]]
      return finish_with(stamp, result);
    finish(stamp, result.bits());
  }
  void ret_at(std::uint64_t stamp) { finish(stamp, LogSlot::kNoResult); }
  // It did not happen.
  void fail();
  // It may have happened, or may still happen; this is not known. The next operation belongs to another process.
  void info() {
    open_ = &scratch_[0];
    if (next_ >= soft_end_) [[unlikely]]
      make_room(1);
  }

  // False: there was no room any more, and operations are not recorded.
  [[nodiscard]] bool recording() const { return block_ != nullptr; }
  [[nodiscard]] std::uint32_t number() const { return process_ - 1; }  // the process in the history, from 0

 private:
  friend class Recorder;
  static constexpr std::size_t kReserve =
      8;  // slots at the end of a block that only a running operation takes

  ThreadLog(Recorder& recorder, Clock clock, std::uint32_t process)
      : clock_(clock), recorder_(&recorder), process_(process) {}

  void open(std::uint32_t head, std::uint32_t argument) {
    if (next_ >= hard_end_) [[unlikely]]
      info();
    LogSlot* slot = next_++;
    slot->argument = argument;
    slot->result = LogSlot::kNoResult;
    slot->duration = 0;
    open_ = slot;
    if (clock_.stamp_call(slot->time) <= last_) [[unlikely]]
      stamp_again(*slot);
    last_ = slot->time;
    std::atomic_ref(slot->head).store(head, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_release);  // whoever sees an effect can see that it was called
  }
  void finish(std::uint64_t now, std::uint32_t result) {
    LogSlot* slot = open_;
    const std::uint64_t duration = now - slot->time + 1;
    if (duration >= LogSlot::kLongDuration) [[unlikely]]
      return finish_long(now, result);
    slot->result = result;
    std::atomic_ref(slot->duration).store(static_cast<std::uint32_t>(duration), std::memory_order_release);
    last_ = now;
    open_ = &scratch_[0];
    if (next_ >= soft_end_) [[unlikely]]
      make_room(1);
  }
  void stamp_again(LogSlot& slot) const;
  void finish_with(std::uint64_t now, const LogValue& result);
  void finish_long(std::uint64_t now, std::uint32_t result);

  // Room for so many slots: in this block, in a new one, or, when there is none, in the scratch.
  void make_room(std::size_t slots);
  bool take_block(std::size_t slots);
  void seal(void* block, std::size_t slots, bool last);
  void seal_retired();
  [[nodiscard]] std::size_t used_slots(void* block) const;
  void mute();
  void close();
  void restart();
  void put(const LogSlot& slot, std::string_view text = {});
  void put_value(const LogValue& value);

  Clock clock_;
  LogSlot* next_ = nullptr;
  LogSlot* soft_end_ = nullptr;  // from here on a block is exchanged when an operation ends
  LogSlot* hard_end_ = nullptr;  // and from here on at once
  LogSlot* open_ = &scratch_[0];
  std::uint64_t last_ = 0;  // stamp
  // Rarely used.
  Recorder* recorder_;
  void* block_ = nullptr;    // none: muted
  void* retired_ = nullptr;  // the block before, with an operation that is running
  std::size_t retired_slots_ = 0;
  std::uint64_t first_offset_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t growth_ = 0;  // a block is four times as large as the one before
  std::uint32_t process_;     // from 1; 0: no operations
  bool released_ = false;
  LogSlot scratch_[2];
};

struct RecorderOptions {
  std::string model = {};    // by name; what the recording is checked against by default
  std::string initial = {};  // the initial value, as JSON
  ClockKind clock = ClockKind::kAuto;
  std::size_t block_size = std::size_t{1} << 20U;  // bytes; a thread's first blocks are smaller
  std::uint64_t limit = 0;                         // bytes of all blocks; 0: no limit
  // Called once, by the thread that met it, when recording must end before the program does: the disk is full, or the limit
  // is reached. The program continues, unrecorded, unless this asks it to stop. What was recorded until then stays valid. It
  // must not ask the recorder for functions or logs.
  std::function<void(const Error&)> when_lost = {};
};

class Recorder {  // many threads may use one; clear() and close(): while no log is in use
 public:
  // To a file, which is replaced. Readable at any time, by `plumb check` or read_histories, even while it grows.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open(const std::string& path,
                                                              RecorderOptions options = {});
  // To memory.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> in_memory(RecorderOptions options = {});
  ~Recorder();  // closes
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // A function by name; `object` where the recording is of several objects. The same names give the same function. These
  // take a lock: ask before the threads run.
  [[nodiscard]] RecordedFunction function(std::string_view name, std::string_view object = {});
  // A log for the calling thread, or for another one. It lives as long as the recorder.
  [[nodiscard]] ThreadLog& thread();
  // The thread is done with it; `thread` may give it to another one. Its process goes on.
  void release(ThreadLog& log);

  // Not ok: recording had to end early, and why.
  [[nodiscard]] Status status() const;
  [[nodiscard]] ClockKind clock() const { return clock_.kind(); }
  [[nodiscard]] double frequency() const { return clock_.frequency(); }  // stamps per second
  [[nodiscard]] std::uint64_t bytes() const;                             // of all blocks

  // What has been recorded so far, with the running operations pending; threads may go on meanwhile. Operations are in the
  // order of their calls, processes are the numbers of the logs.
  [[nodiscard]] Result<History> history() const;
  // Forgets all operations, in memory only. No thread may be in an operation, or begin one meanwhile, nor may anybody ask for the
  // history.
  void clear();

  // The end: no log may be used any more.
  Status close();

 private:
  friend class ThreadLog;
  struct State;
  Recorder(std::unique_ptr<State> state, Clock clock);
  static Result<std::unique_ptr<Recorder>> start(std::unique_ptr<State> state);
  void begin_recording();
  void name_function(std::uint32_t number);
  // Operations called after this are not known.
  void lose(const Error& error, std::uint64_t after);

  Clock clock_;
  std::unique_ptr<State> state_;
};

}  // namespace plumb
