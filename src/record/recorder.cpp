// A recorder: makes logs, names functions, ends. All of it is rare, and under one lock.
#include <plumb/record.hpp>

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "record/log_block.hpp"
#include "record/recorder_state.hpp"

namespace plumb {
namespace {

constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

}  // namespace

Recorder::Recorder(std::unique_ptr<State> state, Clock clock) : clock_(clock), state_(std::move(state)) {}

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, RecorderOptions options) {
  auto storage = file_storage(path, options.limit);
  if (!storage) return storage.error();
  auto state = std::make_unique<State>();
  state->options = std::move(options);
  state->path = path;
  state->page = std::max(kLogPage, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  state->storage = std::move(*storage);
  return start(std::move(state));
}

Result<std::unique_ptr<Recorder>> Recorder::in_memory(RecorderOptions options) {
  auto state = std::make_unique<State>();
  auto storage = std::make_unique<MemoryStorage>(options.limit);
  state->memory = storage.get();
  state->storage = std::move(storage);
  state->options = std::move(options);
  return start(std::move(state));
}

Result<std::unique_ptr<Recorder>> Recorder::start(std::unique_ptr<State> state) {
  auto clock = Clock::make(state->options.clock, &state->counter);
  if (!clock) return clock.error();
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(state), *clock));
  State& own = *recorder->state_;
  own.names.reset(new ThreadLog(*recorder, *clock, 0));
  own.ends_log.reset(new ThreadLog(*recorder, *clock, 0));
  recorder->begin_recording();
  if (own.lost != nullptr) return *own.lost;
  return recorder;
}

Recorder::~Recorder() { (void)close(); }

// The first block: what the recording is of, where it ends, and the functions so far.
void Recorder::begin_recording() {
  State& own = *state_;
  own.names->restart();
  if (!own.names->recording()) return;
  own.ends_log->restart();
  if (!own.ends_log->recording()) return;
  LogSlot ends;
  ends.head = LogSlot::make_head(SlotKind::kEnds);
  ends.time = kNoEnd;
  own.ends = own.ends_log->next_;
  own.ends_log->put(ends);
  LogSlot slot;
  slot.head = LogSlot::make_head(SlotKind::kRecording);
  slot.time = clock_.before();
  slot.duration = static_cast<std::uint32_t>(own.options.model.size());
  slot.argument = static_cast<std::uint32_t>(own.options.initial.size());
  slot.result = static_cast<std::uint32_t>(clock_.kind());
  const std::string about = own.options.model + own.options.initial;
  own.names->make_room(1 + text_slots(about.size()));
  own.names->put(slot, about);
  for (std::uint32_t i = 0; i < own.function_names.size(); ++i) name_function(i);
}

void Recorder::name_function(std::uint32_t number) {
  const auto& [name, object] = state_->function_names[number];
  LogSlot slot;
  slot.head = LogSlot::make_head(SlotKind::kFunction, 0, number);
  slot.duration = static_cast<std::uint32_t>(name.size());
  slot.argument = static_cast<std::uint32_t>(object.size());
  const std::string text = name + object;
  state_->names->make_room(1 + text_slots(text.size()));
  state_->names->put(slot, text);
}

RecordedFunction Recorder::function(std::string_view name, std::string_view object) {
  State& own = *state_;
  std::unique_lock lock(own.mutex);
  std::pair key{std::string(name), std::string(object)};
  if (const auto known = own.functions.find(key); known != own.functions.end()) return {known->second};
  const auto number = static_cast<std::uint32_t>(own.functions.size());
  if (number >= HistoryBuilder::kMaxFunctions) {
    lock.unlock();
    lose(Error{"more than 65535 different functions", {}, own.path}, clock_.before());
    return {0};
  }
  own.functions.emplace(key, number);
  own.function_names.push_back(std::move(key));
  name_function(number);
  return {number};
}

ThreadLog& Recorder::thread() {
  State& own = *state_;
  const std::scoped_lock lock(own.mutex);
  for (const auto& log : own.logs) {
    if (std::exchange(log->released_, false)) return *log;
  }
  own.logs.emplace_back(new ThreadLog(*this, clock_, static_cast<std::uint32_t>(own.logs.size() + 1)));
  own.logs.back()->restart();
  return *own.logs.back();
}

void Recorder::release(ThreadLog& log) {
  const std::scoped_lock lock(state_->mutex);
  log.info();
  log.released_ = true;
}

// Reached with and without the lock.
void Recorder::lose(const Error& error, std::uint64_t after) {
  State& own = *state_;
  if (own.ends != nullptr) {
    std::atomic_ref ends(own.ends->time);
    std::uint64_t known = ends.load();
    while (after < known && !ends.compare_exchange_weak(known, after)) {
    }
  }
  {
    const std::scoped_lock lock(own.lost_mutex);
    if (own.lost != nullptr) return;
    own.lost = std::make_unique<Error>(error);
  }
  if (own.options.when_lost) own.options.when_lost(error);
}

Status Recorder::status() const {
  const std::scoped_lock lock(state_->lost_mutex);
  if (state_->lost != nullptr) return *state_->lost;
  return Ok{};
}

std::uint64_t Recorder::bytes() const { return state_->storage->bytes(); }

void Recorder::clear() {
  State& own = *state_;
  const std::scoped_lock lock(own.mutex);
  if (own.memory == nullptr) return;
  own.memory->clear();
  own.ends = nullptr;
  {
    const std::scoped_lock lost_lock(own.lost_mutex);
    own.lost.reset();
  }
  begin_recording();
  for (const auto& log : own.logs) log->restart();
}

Status Recorder::close() {
  State& own = *state_;
  {
    const std::scoped_lock lock(own.mutex);
    if (!std::exchange(own.closed, true)) {
      for (const auto& log : own.logs) log->close();
      own.names->close();
      own.ends_log->close();
      own.ends = nullptr;
    }
  }
  return status();
}

}  // namespace plumb
