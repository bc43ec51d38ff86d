// What a recording is made of while it is written: slots of 24 bytes, in blocks that belong to one thread each.
//
// A slot counts once its `head` is not zero: that word is written last, so whatever happens to the writer, what it had
// written is whole. An operation is one slot, into which its return is put later. What does not fit into it stands in slots
// beside it: arguments before it, a result after it. docs/formats.md has the layout for others to read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb {

enum class SlotKind : std::uint8_t {
  kEmpty,
  kOperation,  // `time` is the call
  kFailed,     // an operation that did not happen
  kArguments,  // of the next operation, from its second on: five values
  kInteger,    // a value that needs more than 32 bits: `time`, unsigned if `argument` is 1
  kString,     //   `duration` bytes in the slots that follow
  kJson,       //   likewise; any other value
  kDuration,   // of the operation before, in `time`: it does not fit into 32 bits
  kFunction,   // a function: `duration` bytes of name and `argument` bytes of object follow
  kRecording,  // the first of all: `time` is the start, `duration` bytes of model and `argument` of initial value follow
  kEnds,  // nothing called after `time` is known
  kSeal,  // the last of a block that is complete: `duration` slots, `time` is their sum
};

struct LogSlot {
  std::uint64_t time = 0;
  std::uint32_t duration = 0;  // of an operation: return less call, plus 1; 0 while it runs
  std::uint32_t head = 0;      // kind, arguments * 2^8, function * 2^16
  std::uint32_t argument = 0;  // the first
  std::uint32_t result = 0;

  // Values are as in Value::bits, where they need no table. Others are one of these.
  static constexpr std::uint32_t kElsewhere = 0x7FFF'FFFFU;  // in a slot beside this one
  static constexpr std::uint32_t kNoResult = 0x7FFF'FFFEU;

  static constexpr std::uint32_t kLongDuration = 0xFFFF'FFFFU;
  static constexpr std::uint32_t kLastBlock = 1;  // `argument` of a seal: the log ends here

  [[nodiscard]] static constexpr std::uint32_t make_head(SlotKind kind, std::size_t arity = 0,
                                                         std::uint32_t function = 0) {
    return static_cast<std::uint32_t>(kind) | (static_cast<std::uint32_t>(arity) << 8U) | (function << 16U);
  }
};
static_assert(sizeof(LogSlot) == 24);

}  // namespace plumb
