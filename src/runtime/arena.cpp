#include "runtime/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/own_copies.hpp"

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
  totals_.used = (1U << kMaxThreads) - 1;
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
  totals_.live = 0;
  for (; totals_.used != 0; totals_.used &= totals_.used - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(totals_.used));
    clear(regions_[i], i);
  }
}

void Arena::begin_again() {
  totals_.live = 0;
  for (; totals_.used != 0; totals_.used &= totals_.used - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(totals_.used));
    forget(begin_of(i), regions_[i].next);
    clear(regions_[i], i);
  }
}

void Arena::clear(Region& region, std::size_t number) {
  region.next = begin_of(number);
  region.last = nullptr;
  region.blocks = 0;
  for (std::uint64_t bins = region.used_bins; bins != 0; bins &= bins - 1) {
    region.free[static_cast<std::size_t>(std::countr_zero(bins))] = nullptr;
  }
  region.used_bins = 0;
  if (region.used_large != 0) std::fill(region.free.begin() + kSmall, region.free.end(), nullptr);
  region.used_large = 0;
}

// As if the bytes had never been allocated.
void Arena::forget(std::uintptr_t from, std::uintptr_t to) {
  if (from < to) std::memset(&shadow(from), 0, (to - from + kGranule - 1) / kGranule * 4);
}

const char* Arena::restore(const char* pieces) {
  const auto take = [&](void* to, std::size_t size) {
    copy_bytes(to, pieces, size);
    pieces += size;
  };
  const std::uint64_t used_now = totals_.used;
  take(&totals_, sizeof totals_);
  for (std::uint64_t unused = used_now & ~totals_.used; unused != 0; unused &= unused - 1) {
    const auto number = static_cast<std::size_t>(std::countr_zero(unused));
    forget(begin_of(number), regions_[number].next);
    clear(regions_[number], number);
  }
  for (std::uint64_t used = totals_.used; used != 0; used &= used - 1) {
    const auto number = static_cast<std::size_t>(std::countr_zero(used));
    Region& region = regions_[number];
    const std::uintptr_t end = region.next;
    clear(region, number);
    take(&region, kRegionHead);
    for (std::uint64_t bins = region.used_bins; bins != 0; bins &= bins - 1)
      take(&region.free[static_cast<std::size_t>(std::countr_zero(bins))], sizeof(void*));
    if (region.used_large != 0) take(&region.free[kSmall], (kClasses - kSmall) * sizeof(void*));
    forget(region.next, end);
    const std::size_t size = region.next - begin_of(number);
    take(reinterpret_cast<void*>(begin_of(number)), size);
    take(&shadow(begin_of(number)), (size / kGranule * 4 + 7) & ~std::size_t{7});
  }
  return pieces;
}

void Arena::fill_freed(void* block) { std::memset(block, kFresh, size_of(block)); }

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
    if (alignment > kGranule) {  // else it is aligned already
      at = (at + alignment - 1) / alignment * alignment;
      if (at + room > end_of_region) return nullptr;
      std::memset(reinterpret_cast<void*>(region.next), 0, at - region.next);
      forget(region.next, at);
    }
    if (at + room > end_of_region) return nullptr;
    region.next = at + room;
    block = header(reinterpret_cast<void*>(at));
    block->bin = static_cast<std::uint16_t>(bin);
    block->thread = static_cast<std::uint16_t>(thread);
    block->number = static_cast<std::uint32_t>(region.blocks++);
    block->previous = region.last;
    region.last = block;
    std::memset(block + 1, kFresh, room);
  }
  totals_.used |= std::uint64_t{1} << static_cast<unsigned>(thread);
  block->size = size;
  block->next_free = nullptr;
  ++totals_.live;
  mark(block, kLive);
  std::memset(block + 1, kFresh, size);
  return block + 1;
}

std::size_t Arena::release(int thread, void* block) {
  Header* freed = header(block);
  Region& region = lists(thread);
  totals_.used |= std::uint64_t{1} << static_cast<unsigned>(thread) | 1U;
  mark(freed, kFreed);
  --totals_.live;
  if (reuse_ != Reuse::kNever) {
    auto& list = region.free[freed->bin];
    freed->next_free = list;
    list = freed;
    if (freed->bin < kSmall) {
      region.used_bins |= std::uint64_t{1} << freed->bin;
    } else {
      region.used_large = 1;
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
