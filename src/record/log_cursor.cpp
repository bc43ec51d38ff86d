// Slots in their order. What is asked of each is that it could have been written by a log; a slot that is not
// complete ends what is known.
#include "record/log_cursor.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "history/text.hpp"
#include "json/json_reader.hpp"

namespace plumb {
namespace {

SlotKind kind_of(std::uint32_t head) { return static_cast<SlotKind>(head & 0xFFU); }

bool is_value(SlotKind kind) {
  return kind == SlotKind::kInteger || kind == SlotKind::kString || kind == SlotKind::kJson;
}

}  // namespace

Result<Value> json_value(std::string_view text, Values& values) {
  const std::string document = fmt::format(R"({{"value":{}}})", text);
  JsonReader reader(document);
  const auto there = reader.next();
  if (!there) return there.error();
  Value value;
  auto status = reader.members([&](std::string_view name, JsonValue json) -> Status {
    if (name != "value") return Error{"more than one value"};
    auto read = reader.value(json, &values);
    if (!read) return read.error();
    value = *read;
    return Ok{};
  });
  if (!status) return Error{fmt::format("a value that is not JSON: {}", status.error().message)};
  return value;
}

Value string_value(std::string_view text, Values& values) {
  if (!first_invalid_utf8(text)) return values.string(text);
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  const Member bytes{values.string("bytes"), values.string(digits)};
  return values.object({&bytes, 1});
}

Result<std::size_t> slots_behind(const LogBlockView& block, std::size_t slot, std::size_t slots) {
  std::uint64_t bytes = 0;
  switch (kind_of(block.head(slot))) {
    case SlotKind::kString:
    case SlotKind::kJson:
      bytes = block[slot].duration;
      break;
    case SlotKind::kFunction:
    case SlotKind::kRecording:
      bytes = std::uint64_t{block[slot].duration} + block[slot].argument;
      break;
    default:
      break;
  }
  if (text_slots(bytes) > slots - slot - 1) return Error{"a text that is longer than its block"};
  return text_slots(bytes);
}

Result<Value> slot_value(const LogBlockView& block, std::size_t slot, Values& values) {
  const LogSlot& content = block[slot];
  switch (kind_of(block.head(slot))) {
    case SlotKind::kInteger:
      // No real number: two that are nearly the same would be one.
      if (content.argument == 1) return values.string(std::to_string(content.time));
      return values.integer(static_cast<std::int64_t>(content.time));
    case SlotKind::kString:
      return string_value(block.bytes(slot + 1, content.duration), values);
    case SlotKind::kJson:
      return json_value(block.bytes(slot + 1, content.duration), values);
    default:
      return Error{"a slot that has no value"};
  }
}

Status LogExtent::measure(bool compare_sums) {
  slots_.resize(compared_);
  for (std::size_t i = compared_; i < blocks_.size(); ++i) {
    const LogBlockView& block = blocks_[i];
    const bool sealed = block.sealed();  // first: what is written after that goes elsewhere
    may_go_on_ = sealed && !block.is_last();
    if (!sealed) {
      const auto slots = count_slots(block);
      if (!slots) return slots.error();
      slots_.push_back(*slots);
      continue;
    }
    const auto slots = block.sealed_slots(compare_sums);
    if (!slots) return Error{"the checksum of a block is wrong"};
    slots_.push_back(*slots);
    if (compare_sums && compared_ == i) ++compared_;
  }
  return Ok{};
}

Result<std::size_t> LogExtent::count_slots(const LogBlockView& block) {
  std::size_t slots = 0;
  for (; slots < block.room() && block.head(slots) != 0; ++slots) {
    const auto behind = slots_behind(block, slots, block.room());
    if (!behind) return behind.error();
    slots += *behind;
  }
  return slots;
}

std::size_t LogExtent::all_slots() const {
  std::size_t all = 0;
  for (const std::size_t slots : slots_) all += slots;
  return all;
}

std::uint64_t LogExtent::last_stamp() const {
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    if (const std::uint64_t stamp = last_stamp(i); stamp != 0) return stamp;
  }
  return 0;
}

std::uint64_t LogExtent::last_stamp(std::size_t block) const {
  const LogBlockView& slots = blocks_[block];
  std::uint64_t last = 0;
  std::uint64_t call = 0;
  for (std::size_t i = 0; i < slots_[block]; ++i) {
    const SlotKind kind = kind_of(slots.head(i));
    const std::uint32_t duration = slots.duration(i);
    if (kind == SlotKind::kOperation || kind == SlotKind::kFailed) call = slots[i].time;
    if (kind == SlotKind::kOperation && duration != 0 && duration != LogSlot::kLongDuration)
      last = std::max(last, call + duration - 1);
    if (kind == SlotKind::kDuration) last = std::max(last, call + slots[i].time - 1);
    last = std::max(last, call);
    const auto behind = slots_behind(slots, i, slots_[block]);
    i += behind ? *behind : 0;
  }
  return last;
}

// Whether there is a slot here or in the next block. The last block may still grow; those before it do not.
bool LogCursor::at_slot() {
  while (slot_ >= extent_->slots(block_) && block_ + 1 < extent_->blocks().size()) {
    ++block_;
    slot_ = 0;
  }
  return slot_ < extent_->slots(block_);
}

Result<bool> LogCursor::next() {
  while (at_slot()) {
    const LogBlockView& block = extent_->blocks()[block_];
    const std::size_t at = slot_;
    const SlotKind kind = kind_of(block.head(at));
    auto behind = slots_behind(block, at, extent_->slots(block_));
    if (!behind) return behind.error();
    slot_ += 1 + *behind;
    if (is_value(kind)) {
      auto value = slot_value(block, at, *values_);
      if (!value) return value.error();
      elsewhere_.push_back(*value);
    } else if (kind == SlotKind::kArguments) {
      const LogSlot& slot = block[at];
      const auto low = static_cast<std::uint32_t>(slot.time);
      const auto high = static_cast<std::uint32_t>(slot.time >> 32U);
      more_.insert(more_.end(), {low, high, slot.duration, slot.argument, slot.result});
    } else if (kind == SlotKind::kOperation || kind == SlotKind::kFailed) {
      if (block[at].time > cut_) {
        slot_ = at;
        return false;
      }
      if (auto status = operation(block, at); !status) return status.error();
      if (!failed_) return true;
    } else if (kind != SlotKind::kDuration) {
      return Error{"a slot that does not belong to an operation"};
    }
  }
  return false;
}

Status LogCursor::operation(const LogBlockView& block, std::size_t slot) {
  const std::uint32_t head = block.head(slot);
  const std::size_t arity = (head >> 8U) & 0xFFU;
  operation_block_ = block_;
  operation_slot_ = slot;
  call_ = block[slot].time;
  function_ = head >> 16U;
  arguments_.clear();
  elsewhere_used_ = 0;
  if (arity > more_.size() + 1) return Error{"an operation without its arguments"};
  for (std::size_t i = 0; i < arity; ++i) {
    auto value = argument(i == 0 ? block[slot].argument : more_[i - 1]);
    if (!value) return value.error();
    arguments_.push_back(*value);
  }
  return refresh();
}

Status LogCursor::refresh() {
  block_ = operation_block_;
  slot_ = operation_slot_ + 1;
  elsewhere_.clear();
  more_.clear();
  return finish();
}

Result<Value> LogCursor::argument(std::uint32_t bits) {
  const Value value = Value::from_bits(bits);
  if (value.is_small() || value.is_null() || value.is_bool()) return value;
  if (bits != LogSlot::kElsewhere || elsewhere_used_ == elsewhere_.size()) {
    return Error{"an argument that is not a value"};
  }
  return elsewhere_[elsewhere_used_++];
}

// What came after the cut is not known: the operation is running.
Status LogCursor::finish() {
  const LogBlockView& block = extent_->blocks()[operation_block_];
  const std::size_t slot = operation_slot_;
  failed_ = kind_of(block.head(slot)) == SlotKind::kFailed;
  ret_ = kRunning;
  has_result_ = false;
  result_ = kNull;
  std::uint64_t duration = block.duration(slot);
  if (duration == 0) return Ok{};
  const std::uint32_t bits = block[slot].result;
  std::optional<Value> result = Value::from_bits(bits);
  if (bits == LogSlot::kElsewhere) {
    auto behind = value_behind();
    if (!behind) return behind.error();
    result = *behind;
  } else if (bits == LogSlot::kNoResult) {
    result = kNull;
  } else if (!result->is_small() && !result->is_null() && !result->is_bool()) {
    return Error{"a result that is not a value"};
  }
  if (duration == LogSlot::kLongDuration && !duration_behind(duration)) return Ok{};
  if (duration - 1 >= kRunning - call_) return Error{"an operation that returns before its call"};
  if (!result || call_ + duration - 1 > cut_) return Ok{};
  ret_ = call_ + duration - 1;
  has_result_ = bits != LogSlot::kNoResult;
  result_ = *result;
  return Ok{};
}

// The result in the slot that follows, unless that is not there yet.
Result<std::optional<Value>> LogCursor::value_behind() {
  if (!at_slot()) return std::optional<Value>();
  const LogBlockView& block = extent_->blocks()[block_];
  auto behind = slots_behind(block, slot_, extent_->slots(block_));
  if (!behind) return behind.error();
  auto value = slot_value(block, slot_, *values_);
  if (!value) return value.error();
  slot_ += 1 + *behind;
  return std::optional(*value);
}

bool LogCursor::duration_behind(std::uint64_t& duration) {
  if (!at_slot()) return false;
  const LogBlockView& block = extent_->blocks()[block_];
  if (kind_of(block.head(slot_)) != SlotKind::kDuration) return false;
  duration = block[slot_++].time;
  return duration != 0;
}

}  // namespace plumb
