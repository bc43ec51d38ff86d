// Blocks of a recording, as files have them and as they stand in memory: a header, then slots
// (plumb/detail/log_slot.hpp).
//
// A block belongs to one log, and holds what one thread did. Its header is written once, its first
// word last; where that word is zero there is no block. The slot at its end seals it: sealed
// blocks do not change any more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <plumb/detail/log_slot.hpp>
#include <plumb/result.hpp>

namespace plumb {

inline constexpr std::size_t kLogPage = 4096;  // blocks begin, and end, at multiples of it

struct LogBlockHeader {
  static constexpr std::size_t kSize = 64;

  std::uint32_t number = 0;   // of the block in its log
  std::uint64_t size = 0;     // bytes, with this header
  std::uint64_t offset = 0;   // of the block in its recording
  std::uint64_t log = 0;      // the offset of the first block of its log
  std::uint64_t process = 0;  // the number of the thread, from 1; 0: no operations in it

  void write(char* block) const;
  // Of a block with at least this many bytes. Nothing is known of what stands behind it.
  [[nodiscard]] static Result<LogBlockHeader> read(std::string_view bytes);
};

// Whether there is a header at the front: its first word has been written.
[[nodiscard]] bool has_header(std::string_view bytes);

// Whether the header at the front is of a block of slots, if it is one at all.
[[nodiscard]] bool is_log_block(std::string_view bytes);

// A block that is there, whole.
class LogBlockView {
 public:
  LogBlockView(const LogBlockHeader& header, const char* block)
      : header_(header), slots_(reinterpret_cast<const LogSlot*>(block + LogBlockHeader::kSize)) {}

  [[nodiscard]] const LogBlockHeader& header() const { return header_; }
  // The slots it has room for, without the seal.
  [[nodiscard]] std::size_t room() const {
    return (header_.size - LogBlockHeader::kSize) / sizeof(LogSlot) - 1;
  }
  [[nodiscard]] const LogSlot& operator[](std::size_t i) const { return slots_[i]; }
  [[nodiscard]] std::string_view bytes(std::size_t from, std::size_t size) const {
    return {reinterpret_cast<const char*>(slots_ + from), size};
  }
  // The head of a slot, which somebody may be writing at this moment: what it stands for can be read
  // afterwards.
  [[nodiscard]] std::uint32_t head(std::size_t i) const {
    return std::atomic_ref(const_cast<std::uint32_t&>(slots_[i].head)).load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t time(std::size_t i) const {
    return std::atomic_ref(const_cast<std::uint64_t&>(slots_[i].time)).load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint32_t duration(std::size_t i) const {
    return std::atomic_ref(const_cast<std::uint32_t&>(slots_[i].duration)).load(std::memory_order_acquire);
  }
  [[nodiscard]] bool sealed() const { return head(room()) == LogSlot::make_head(SlotKind::kSeal); }
  [[nodiscard]] bool is_last() const { return sealed() && slots_[room()].argument == LogSlot::kLastBlock; }
  // Of a sealed one: how many slots it has, if its sum is right or not asked for.
  [[nodiscard]] std::optional<std::size_t> sealed_slots(bool compare_sum) const;

 private:
  LogBlockHeader header_;
  const LogSlot* slots_;
};

// How many slots a text takes.
[[nodiscard]] constexpr std::size_t text_slots(std::size_t bytes) {
  return (bytes + sizeof(LogSlot) - 1) / sizeof(LogSlot);
}

// The sum that a seal has.
[[nodiscard]] std::uint64_t log_sum(const char* block, std::size_t slots);

}  // namespace plumb
