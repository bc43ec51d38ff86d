#include "runtime/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace plumb::runtime {
namespace {

constexpr unsigned char kFresh = 0xCD;  // what new memory holds: the same in every execution, and no pointer

int bin_of(std::size_t size, int small) {
  const auto granules = (size + 15) / 16;
  if (granules <= static_cast<std::size_t>(small)) return static_cast<int>(granules) - 1;
  return small + static_cast<int>(std::bit_width(granules - 1)) - 1;
}
std::size_t bin_size(int bin, int small) {
  return bin < small ? (static_cast<std::size_t>(bin) + 1) * 16 : (std::size_t{1} << (bin - small + 1)) * 16;
}

}  // namespace

constinit Arena Arena::the_one_;

bool Arena::prepare() {
  if (prepared_) return true;
  const auto reserve = [](std::uintptr_t at, std::size_t size) {
    void* want = reinterpret_cast<void*>(at);
    return mmap(want, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == want;
  };
  used_ = (1U << kMaxThreads) - 1;
  prepared_ = reserve(kBase, kRegion * kMaxThreads) && reserve(kShadow, kRegion * kMaxThreads / kGranule * 4);
  return prepared_;
}

void Arena::begin(Reuse reuse) {
  ++epoch_;
  if (epoch_ == 1U << 30U) {  // the marks would repeat: forget them all
    madvise(reinterpret_cast<void*>(kShadow), kRegion * kMaxThreads / kGranule * 4, MADV_DONTNEED);
    epoch_ = 1;
  }
  reuse_ = reuse;
  live_ = 0;
  for (; used_ != 0; used_ &= used_ - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(used_));
    Region& region = regions_[i];
    region.next = kBase + i * kRegion;
    region.last = nullptr;
    region.blocks = 0;
    for (std::uint64_t bins = region.used_bins; bins != 0; bins &= bins - 1) {
      region.free[static_cast<std::size_t>(std::countr_zero(bins))] = nullptr;
    }
    region.used_bins = 0;
    if (region.used_large) std::fill(region.free.begin() + kSmall, region.free.end(), nullptr);
    region.used_large = false;
  }
}

void Arena::mark(const Header* block, std::uint32_t state) {
  const auto first = reinterpret_cast<std::uintptr_t>(block + 1);
  const std::size_t granules = (block->size + kGranule - 1) / kGranule;
  std::uint32_t* marks = &shadow(first);
  marks[0] = epoch_ * 4 + (state == kLive ? kFirst : state);
  if (granules > 1) std::fill_n(marks + 1, granules - 1, epoch_ * 4 + state);
}

void* Arena::allocate(int thread, std::size_t size, std::size_t alignment) {
  if (size == 0) size = 1;
  if (size > kRegion / 2) return nullptr;
  Region& region = regions_[static_cast<std::size_t>(thread)];
  const int bin = bin_of(size, kSmall);
  Header*& free = lists(thread).free[static_cast<std::size_t>(bin)];
  Header* block = alignment <= kGranule ? free : nullptr;
  if (block != nullptr) {
    free = block->next_free;
  } else {
    const std::size_t room = bin_size(bin, kSmall);
    const auto end_of_region = kBase + (static_cast<std::size_t>(thread) + 1) * kRegion;
    auto at = region.next + sizeof(Header);
    if (alignment > kGranule)
      at = (at + alignment - 1) / alignment * alignment;  // else it is aligned already
    if (at + room > end_of_region) return nullptr;
    region.next = at + room;
    block = header(reinterpret_cast<void*>(at));
    block->bin = static_cast<std::uint16_t>(bin);
    block->thread = static_cast<std::uint16_t>(thread);
    block->number = region.blocks++;
    block->previous = region.last;
    region.last = block;
  }
  used_ |= 1U << static_cast<unsigned>(thread);
  block->size = size;
  ++live_;
  mark(block, kLive);
  std::memset(block + 1, kFresh, size);
  return block + 1;
}

std::size_t Arena::release(int thread, void* block) {
  Header* freed = header(block);
  Region& region = lists(thread);
  used_ |= 1U << static_cast<unsigned>(thread) | 1U;
  mark(freed, kFreed);
  --live_;
  if (reuse_ != Reuse::kNever) {
    auto& list = region.free[freed->bin];
    freed->next_free = list;
    list = freed;
    if (freed->bin < kSmall) {
      region.used_bins |= std::uint64_t{1} << freed->bin;
    } else {
      region.used_large = true;
    }
  }
  return freed->size;
}

const void* Arena::contended(std::size_t size) const {
  if (reuse_ != Reuse::kAnyThread) return nullptr;
  return &regions_[0].free[static_cast<std::size_t>(bin_of(size == 0 ? 1 : size, kSmall))];
}

Arena::State Arena::state_inside(const void* address, std::size_t size) const {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (auto at = first / kGranule * kGranule; at < first + size; at += kGranule) {
    const std::uint32_t mark = shadow(at);
    if (mark / 4 != epoch_) return State::kUnallocated;
    if (mark % 4 == kFreed) return State::kFreed;
  }
  return State::kLive;
}

bool Arena::is_block(const void* address) const {
  const std::uint32_t mark = shadow(reinterpret_cast<std::uintptr_t>(address));
  return reinterpret_cast<std::uintptr_t>(address) % kGranule == 0 && mark / 4 == epoch_ &&
         (mark % 4 == kFirst || mark % 4 == kFreed);
}

Arena::Place Arena::place(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!owns(address)) return {};
  const Region& region = regions_[(at - kBase) / kRegion];
  for (const Header* block = region.last; block != nullptr; block = block->previous) {
    const auto begin = reinterpret_cast<std::uintptr_t>(block + 1);
    if (at >= begin)
      return {.known = true, .thread = block->thread, .block = block->number, .offset = at - begin};
  }
  return {};
}

}  // namespace plumb::runtime
