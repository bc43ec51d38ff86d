// Headers of blocks of slots, to bytes and back.
#include "record/log_block.hpp"

#include <bit>
#include <cstring>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "record/binary_block.hpp"

namespace plumb {
namespace {

static_assert(std::endian::native == std::endian::little, "slots are written as they stand in memory");

using namespace block_header;

// Of blocks of slots, also.
constexpr std::size_t kOffsetAt = 24;
constexpr std::size_t kLogAt = 32;
constexpr std::size_t kProcessAt = 40;

}  // namespace

void LogBlockHeader::write(char* block) const {
  store_little(kBinaryVersion, block + kVersionAt);
  block[kKindAt] = static_cast<char>(BlockKind::kLog);
  store_little(number, block + kNumberAt);
  store_little(size - kSize, block + kBodySizeAt);
  store_little(offset, block + kOffsetAt);
  store_little(log, block + kLogAt);
  store_little(process, block + kProcessAt);
  char head[kHashAt];
  kBinaryMagic.copy(head, kBinaryMagic.size());
  std::memcpy(head + kVersionAt, block + kVersionAt, sizeof(head) - kVersionAt);
  store_little(hash64({head, sizeof(head)}), block + kHashAt);
  auto& magic = *reinterpret_cast<std::uint64_t*>(block);
  std::atomic_ref(magic).store(load_little<std::uint64_t>(kBinaryMagic.data()), std::memory_order_release);
}

bool has_header(std::string_view bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) {  // nobody writes there
    return load_little<std::uint64_t>(bytes.data()) != 0;
  }
  auto& magic = const_cast<std::uint64_t&>(*reinterpret_cast<const std::uint64_t*>(bytes.data()));
  return std::atomic_ref(magic).load(std::memory_order_acquire) != 0;
}

bool is_log_block(std::string_view bytes) {
  return bytes.size() > kKindAt && bytes.starts_with(kBinaryMagic) &&
         bytes[kKindAt] == static_cast<char>(BlockKind::kLog);
}

Result<LogBlockHeader> LogBlockHeader::read(std::string_view bytes) {
  const char* at = bytes.data();
  if (load_little<std::uint16_t>(at + kVersionAt) != kBinaryVersion) {
    return Error{"another version of the format; expected version 1"};
  }
  if (load_little<std::uint64_t>(at + kHashAt) != hash64({at, kHashAt})) {
    return Error{"the checksum of a block's header is wrong"};
  }
  LogBlockHeader header;
  header.number = load_little<std::uint32_t>(at + kNumberAt);
  header.size = load_little<std::uint64_t>(at + kBodySizeAt) + kSize;
  header.offset = load_little<std::uint64_t>(at + kOffsetAt);
  header.log = load_little<std::uint64_t>(at + kLogAt);
  header.process = load_little<std::uint64_t>(at + kProcessAt);
  if (header.size % kLogPage != 0 || header.size == 0 || header.offset % kLogPage != 0 ||
      (header.number == 0) != (header.log == header.offset)) {
    return Error{"a block's header does not make sense"};
  }
  return header;
}

std::uint64_t log_sum(const char* block, std::size_t slots) {
  return hash64({block + LogBlockHeader::kSize, slots * sizeof(LogSlot)});
}

std::optional<std::size_t> LogBlockView::sealed_slots(bool compare_sum) const {
  const LogSlot& seal = slots_[room()];
  const char* block = reinterpret_cast<const char*>(slots_) - LogBlockHeader::kSize;
  if (seal.duration > room()) return std::nullopt;
  if (compare_sum && seal.time != log_sum(block, seal.duration)) return std::nullopt;
  return seal.duration;
}

}  // namespace plumb
