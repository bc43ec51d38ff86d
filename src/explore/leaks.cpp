#include "explore/leaks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/program_data.hpp"

namespace plumb::engine {
namespace {

struct Block {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  bool reached = false;
};

// Marks the blocks that the words of [begin, begin + size) point into, and lists them to be looked through.
void look_through(std::uintptr_t begin, std::size_t size, std::vector<Block>& blocks,
                  std::vector<std::size_t>& to_do) {
  for (std::uintptr_t at = begin; at + sizeof(std::uintptr_t) <= begin + size; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    const auto after =
        std::upper_bound(blocks.begin(), blocks.end(), word,
                         [](std::uintptr_t value, const Block& block) { return value < block.begin; });
    if (after == blocks.begin()) continue;
    Block& block = *(after - 1);
    if (block.reached || word >= block.begin + block.size) continue;
    block.reached = true;
    to_do.push_back(static_cast<std::size_t>(after - blocks.begin()) - 1);
  }
}

}  // namespace

std::vector<const void*> unreachable_blocks(const runtime::Arena& arena) {
  std::vector<Block> blocks;
  arena.each_live([&](void* block, std::size_t size) {
    blocks.push_back({reinterpret_cast<std::uintptr_t>(block), size});
  });
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
  std::vector<std::size_t> to_do;
  look_through(reinterpret_cast<std::uintptr_t>(runtime::ProgramData::begin()), runtime::ProgramData::size(),
               blocks, to_do);
  while (!to_do.empty()) {
    const Block block = blocks[to_do.back()];
    to_do.pop_back();
    look_through(block.begin, block.size, blocks, to_do);
  }
  std::vector<const void*> lost;
  for (const Block& block : blocks) {
    if (!block.reached) lost.push_back(reinterpret_cast<const void*>(block.begin));
  }
  return lost;
}

}  // namespace plumb::engine
