// The rare half of a log: values that need more than a word, and the way from one block to the next.
//
// A block is left when it has little room, at the end of an operation, so that no operation is made longer by
// it. The next block is there, empty, before the seal is put on this one, and the seal before anything is
// written to the next: who finds a log whose last block has no seal knows all of it.
#include <algorithm>
#include <cassert>

#include <plumb/record.hpp>

#include "record/log_block.hpp"
#include "record/recorder_state.hpp"

namespace plumb {
namespace {

constexpr std::size_t kSmallestBlock = std::size_t{1} << 14U;
constexpr std::size_t kMoreInSlot = 5;  // arguments in a slot of kArguments

LogSlot* first_slot(void* block) {
  return reinterpret_cast<LogSlot*>(static_cast<char*>(block) + LogBlockHeader::kSize);
}

std::size_t slots_of(const LogValue& value) {
  if (value.is_small()) return 0;
  const bool has_text = value.kind() == LogValue::Kind::kString || value.kind() == LogValue::Kind::kJson;
  return 1 + (has_text ? text_slots(value.text().size()) : 0);
}

}  // namespace

void ThreadLog::call_with(RecordedFunction function, std::span<const LogValue> arguments) {
  assert(arguments.size() <= HistoryBuilder::kMaxArguments);
  std::size_t slots = arguments.size() / kMoreInSlot + 1;
  for (const LogValue& value : arguments) slots += slots_of(value);
  open_ = &scratch_[0];
  make_room(slots + 1);
  for (const LogValue& value : arguments) put_value(value);
  for (std::size_t i = 1; i < arguments.size(); i += kMoreInSlot) {
    const auto bits = [&](std::size_t k) { return i + k < arguments.size() ? arguments[i + k].bits() : 0; };
    LogSlot more;
    more.head = LogSlot::make_head(SlotKind::kArguments);
    more.time = bits(0) | (std::uint64_t{bits(1)} << 32U);
    more.duration = bits(2);
    more.argument = bits(3);
    more.result = bits(4);
    put(more);
  }
  open(LogSlot::make_head(SlotKind::kOperation, arguments.size(), function.number),
       arguments.empty() ? 0 : arguments[0].bits());
}

// The clock has not ticked since the last stamp, or was read before that was. Equal stamps would say that
// both operations run at the same time, so that their order is lost, and no two logs may have them in one
// place: a reader that tells events one by one could not tell them rightly. A clock that goes back, or stands
// still, is not waited for.
void ThreadLog::stamp_again(LogSlot& slot) const {
  constexpr int kTries = 1000;  // some microseconds at least; the slowest counters tick every 50 ns or so
  for (int i = 0; i < kTries; ++i) {
    if (clock_.stamp_call(slot.time) > last_) return;
  }
  slot.time = last_;
}

// The slots after the operation are written first: when the operation says that it has ended, all is there.
// Where there is no room for them it stays pending.
void ThreadLog::finish_with(std::uint64_t now, const LogValue& result) {
  if (open_ == &scratch_[0]) return;  // nothing was called
  make_room(slots_of(result));
  if (block_ == nullptr) return info();  // muted
  put_value(result);
  finish(now, result.bits());
  seal_retired();
}

void ThreadLog::finish_long(std::uint64_t now, std::uint32_t result) {
  if (open_ == &scratch_[0]) return;
  make_room(1);
  if (block_ == nullptr) return info();
  LogSlot slot;
  slot.head = LogSlot::make_head(SlotKind::kDuration);
  slot.time =
      now >= open_->time ? now - open_->time + 1 : 1;  // whatever the clock does, it takes no time at least
  put(slot);
  open_->result = result;
  std::atomic_ref(open_->duration).store(LogSlot::kLongDuration, std::memory_order_release);
  last_ = open_->time + slot.time - 1;
  info();
  seal_retired();
}

void ThreadLog::fail() {
  const std::uint32_t head = open_->head & ~0xFFU;
  std::atomic_ref(open_->head)
      .store(head | static_cast<std::uint32_t>(SlotKind::kFailed), std::memory_order_release);
  info();
}

void ThreadLog::put(const LogSlot& slot, std::string_view text) {
  if (block_ == nullptr) return;
  LogSlot* to = next_;
  text.copy(reinterpret_cast<char*>(to + 1), text.size());
  to->time = slot.time;
  to->duration = slot.duration;
  to->argument = slot.argument;
  to->result = slot.result;
  std::atomic_ref(to->head).store(slot.head, std::memory_order_release);
  next_ += 1 + text_slots(text.size());
}

void ThreadLog::put_value(const LogValue& value) {
  LogSlot slot;
  switch (value.kind()) {
    case LogValue::Kind::kSmall:
      return;
    case LogValue::Kind::kInteger:
    case LogValue::Kind::kUnsigned:
      slot.head = LogSlot::make_head(SlotKind::kInteger);
      slot.time = value.number();
      slot.argument = value.kind() == LogValue::Kind::kUnsigned ? 1 : 0;
      return put(slot);
    case LogValue::Kind::kString:
    case LogValue::Kind::kJson:
      slot.head =
          LogSlot::make_head(value.kind() == LogValue::Kind::kString ? SlotKind::kString : SlotKind::kJson);
      slot.duration = static_cast<std::uint32_t>(value.text().size());
      return put(slot, value.text());
  }
}

void ThreadLog::make_room(std::size_t slots) {
  const bool between = open_ == &scratch_[0];
  if (block_ != nullptr && next_ + slots <= hard_end_ && !(between && next_ >= soft_end_)) return;
  if (block_ == nullptr) {
    next_ = &scratch_[1];
  } else if (!take_block(slots)) {
    mute();
  }
}

// False: there is none. The block before is sealed, unless it has the operation that is running.
bool ThreadLog::take_block(std::size_t slots) {
  Recorder::State& state = *recorder_->state_;
  const std::size_t wanted = LogBlockHeader::kSize + (slots + 2 * kReserve) * sizeof(LogSlot);
  std::size_t size = std::min(kSmallestBlock << (2 * std::min(growth_, 8U)), state.options.block_size);
  size = (std::max(size, wanted) + state.page - 1) / state.page * state.page;
  const LogBlockHeader header{blocks_, size, 0, first_offset_, process_};
  const auto room = state.storage->take(header);
  if (!room) {
    recorder_->lose(room.error(), clock_.before());
    return false;
  }
  if (blocks_++ == 0) first_offset_ = room->offset;
  ++growth_;
  retired_ = std::exchange(block_, room->memory);
  retired_slots_ = used_slots(retired_);
  next_ = first_slot(block_);
  hard_end_ = next_ + LogBlockView(header, room->memory).room();
  soft_end_ = hard_end_ - kReserve;
  if (open_ == &scratch_[0]) seal_retired();
  return true;
}

std::size_t ThreadLog::used_slots(void* block) const {
  return block == nullptr ? 0 : static_cast<std::size_t>(next_ - first_slot(block));
}

void ThreadLog::seal_retired() {
  if (void* block = std::exchange(retired_, nullptr)) seal(block, retired_slots_, false);
}

void ThreadLog::seal(void* block, std::size_t slots, bool last) {
  auto* bytes = static_cast<char*>(block);
  const LogBlockHeader header = *LogBlockHeader::read({bytes, LogBlockHeader::kSize});
  LogSlot* seal = first_slot(block) + LogBlockView(header, bytes).room();
  seal->time = log_sum(bytes, slots);
  seal->duration = static_cast<std::uint32_t>(slots);
  seal->argument = last ? LogSlot::kLastBlock : 0;
  std::atomic_ref(seal->head).store(LogSlot::make_head(SlotKind::kSeal), std::memory_order_release);
  recorder_->state_->storage->leave(bytes, header.size);
}

// The block stays, without a seal for now: an operation may be running in it.
void ThreadLog::mute() {
  retired_slots_ = used_slots(block_);
  retired_ = std::exchange(block_, nullptr);
  next_ = &scratch_[1];
  soft_end_ = hard_end_ = &scratch_[0] + 2;
}

void ThreadLog::close() {
  open_ = &scratch_[0];
  if (block_ != nullptr) mute();
  if (void* block = std::exchange(retired_, nullptr)) seal(block, retired_slots_, true);
}

// From the beginning, with blocks that come anew: the first is as large as the last was, so that a round like
// the one before finds room in it.
void ThreadLog::restart() {
  block_ = retired_ = nullptr;
  blocks_ = 0;
  if (growth_ != 0) --growth_;
  open_ = &scratch_[0];
  if (!take_block(1)) mute();
}

}  // namespace plumb
