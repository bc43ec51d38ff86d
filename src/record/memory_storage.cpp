// Blocks in memory, which are used again after `clear`.
#include <cstring>
#include <mutex>
#include <new>

#include "record/storage.hpp"

namespace plumb {

struct MemoryStorage::Blocks {
  struct Free {
    void operator()(char* memory) const { ::operator delete[](memory, kAlignment); }
  };
  struct Block {
    std::unique_ptr<char, Free> memory;
    std::size_t size;
  };
  static constexpr std::align_val_t kAlignment{4096};

  std::uint64_t limit = 0;
  mutable std::mutex mutex;
  std::vector<Block> used;
  std::vector<Block> spare;
  std::uint64_t bytes = 0;
};

MemoryStorage::MemoryStorage(std::uint64_t limit) : blocks_(std::make_unique<Blocks>()) {
  blocks_->limit = limit;
}
MemoryStorage::~MemoryStorage() = default;

Result<Room> MemoryStorage::take(LogBlockHeader header) {
  const std::size_t bytes = header.size;
  Blocks& all = *blocks_;
  const std::scoped_lock lock(all.mutex);
  if (all.limit != 0 && all.bytes + bytes > all.limit) {
    return Error{"the recording has reached its limit of " + std::to_string(all.limit) + " bytes"};
  }
  Blocks::Block block{nullptr, bytes};
  for (Blocks::Block& spare : all.spare) {
    if (spare.size != bytes) continue;
    block = std::move(spare);
    spare = std::move(all.spare.back());
    all.spare.pop_back();
    break;
  }
  if (block.memory == nullptr) {
    void* memory = ::operator new[](bytes, Blocks::kAlignment, std::nothrow);
    if (memory == nullptr) return Error{"not enough memory for the recording"};
    block.memory.reset(static_cast<char*>(memory));
    std::memset(memory, 0, bytes);  // now, and not page by page in the middle of operations
  }
  const Room room = begin_block(block.memory.get(), all.bytes, header);
  all.bytes += bytes;
  all.used.push_back(std::move(block));
  return room;
}

std::uint64_t MemoryStorage::bytes() const {
  const std::scoped_lock lock(blocks_->mutex);
  return blocks_->bytes;
}

std::vector<std::string_view> MemoryStorage::blocks() const {
  const std::scoped_lock lock(blocks_->mutex);
  std::vector<std::string_view> all;
  for (const Blocks::Block& block : blocks_->used) all.emplace_back(block.memory.get(), block.size);
  return all;
}

void MemoryStorage::clear() {
  const std::scoped_lock lock(blocks_->mutex);
  for (Blocks::Block& block : blocks_->used) {
    std::memset(block.memory.get(), 0, block.size);
    blocks_->spare.push_back(std::move(block));
  }
  blocks_->used.clear();
  blocks_->bytes = 0;
}

}  // namespace plumb
