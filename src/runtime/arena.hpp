// Memory of the code under test. Each thread has a region of its own at a fixed address, so that the addresses a thread
// gets depend on nothing but its own allocations: not on the schedule, not on the process. A freed block goes to the
// list of the thread that freed it and is handed out again last in, first out, as the caches of real allocators do: the
// ABA problem needs that. Or never, so that every use after free is seen for what it is. Or to the thread that asks first, from one
// list for all threads: then to ask and to free do not commute, and each is a step (malloc.cpp).
//
// Each 16 bytes have a word that says in which execution they were last allocated or freed; starting a new execution
// costs nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/control.hpp"

namespace plumb::runtime {

enum class Reuse : std::uint8_t { kLastFreed, kAnyThread, kNever };

class Arena {
 public:
  enum class State : std::uint8_t { kOutside, kLive, kFreed, kUnallocated };

  static Arena& instance() { return the_one_; }
  bool prepare();  // reserves the addresses, once

  void begin(Reuse reuse);  // a new execution
  void begin_again();       // the same, and not to be told from the one before by its marks
  void* allocate(int thread, std::size_t size, std::size_t alignment);
  // The block's size; it must be live.
  std::size_t release(int thread, void* block);
  std::size_t size_of(const void* block) const { return header(block)->size; }
  static bool owns(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - kBase < kRegion * kMaxThreads;
  }
  // The worst of the states of the bytes; live blocks must begin before them.
  State state(const void* address, std::size_t size) const {
    return owns(address) ? state_inside(address, size) : State::kOutside;
  }
  // Surely nothing is wrong with an access there; false: state() tells.
  bool fine(const void* address, std::size_t size) const {
    if (!owns(address)) return true;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return shadow(at) - (epoch_ * 4 + kLive) <= kFirst - kLive && at % kGranule + size <= kGranule;
  }
  bool is_block(const void* address) const;  // the beginning of a block, live or freed
  bool is_live_block(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at % kGranule == 0 && shadow(at) == epoch_ * 4 + kFirst;
  }

  // Names that are the same in every execution: the n-th block of thread t.
  struct Place {
    bool known = false;
    int thread = 0;
    std::uint32_t block = 0;
    std::size_t offset = 0;
  };
  Place place(const void* address) const;

  // What threads that ask for, or free, memory of one class contend for; null: nothing.
  const void* contended(std::size_t size) const;

  std::size_t live() const { return totals_.live; }
  // All that an execution has changed here, piece by piece, to be kept or looked at: f(address, size), in multiples of eight bytes.
  template <class F>
  void each_piece(F f) const;
  static constexpr std::size_t kMostPieces = 1 + kMaxThreads * (64 + 4);
  // As it was when its pieces were taken, one behind the other; returns what comes behind them.
  const char* restore(const char* pieces);
  void fill_freed(void* block);  // what is in it means nothing any more
  // Calls f(block, size) for each live block.
  template <class F>
  void each_live(F f) const;

 private:
  static constexpr std::uintptr_t kBase = 0x6a00'0000'0000;
  static constexpr std::uintptr_t kShadow = 0x6c00'0000'0000;
  static constexpr std::size_t kRegion = std::size_t{64} << 20U;
  static constexpr std::size_t kGranule = 16;
  static constexpr int kSmall = 64;  // classes of 16, 32, … 1024 bytes; then one a power of two
  static constexpr int kClasses = kSmall + 32;

  struct Header {
    std::size_t size;
    std::uint32_t number;  // counts the blocks of the thread
    std::uint16_t thread;
    std::uint16_t bin;
    Header* next_free;
    Header* previous;  // the block before it in this region, in order of first allocation
  };
  static_assert(sizeof(Header) % kGranule == 0);
  static_assert(kMostPieces == 1 + kMaxThreads * (kSmall + 4));
  struct Region {
    std::uintptr_t next = 0;
    Header* last = nullptr;
    std::uint64_t blocks = 0;
    std::uint64_t used_bins = 0;   // which small lists hold something
    std::uint64_t used_large = 0;  // some of the others do
    std::array<Header*, kClasses> free{};
  };
  static constexpr std::size_t kRegionHead = offsetof(Region, free);

  static Header* header(const void* block) {
    return reinterpret_cast<Header*>(reinterpret_cast<std::uintptr_t>(block)) - 1;
  }
  static std::uint32_t& shadow(std::uintptr_t address) {
    return reinterpret_cast<std::uint32_t*>(kShadow)[(address - kBase) / kGranule];
  }
  Region& lists(int thread) {  // where blocks go that it frees
    return regions_[reuse_ == Reuse::kAnyThread ? 0 : static_cast<std::size_t>(thread)];
  }
  static std::uintptr_t begin_of(std::size_t region) { return kBase + region * kRegion; }
  static void clear(Region& region, std::size_t number);
  static void forget(std::uintptr_t from, std::uintptr_t to);
  State state_inside(const void* address, std::size_t size) const;
  void mark(const Header* block, std::uint32_t state);

  std::uint32_t epoch_ = 0;  // of this execution; in the shadow: epoch × 4 + state
  Reuse reuse_ = Reuse::kLastFreed;
  struct Totals {
    std::uint64_t live = 0;
    std::uint64_t used = 0;  // which regions were used in this execution
  };
  Totals totals_;
  bool prepared_ = false;
  std::array<Region, kMaxThreads> regions_;
  static Arena the_one_;
  static constexpr std::uint32_t kLive = 1;
  static constexpr std::uint32_t kFirst = 2;  // live, and the first granule of its block
  static constexpr std::uint32_t kFreed = 3;
};

template <class F>
void Arena::each_live(F f) const {
  for (const Region& region : regions_) {
    for (Header* block = region.last; block != nullptr; block = block->previous) {
      const auto address = reinterpret_cast<std::uintptr_t>(block + 1);
      if (shadow(address) == epoch_ * 4 + kFirst) f(static_cast<void*>(block + 1), block->size);
    }
  }
}

template <class F>
[[gnu::always_inline]] inline void Arena::each_piece(F f) const {
  f(&totals_, sizeof totals_);
  for (std::uint64_t used = totals_.used; used != 0; used &= used - 1) {
    const auto number = static_cast<std::size_t>(std::countr_zero(used));
    const Region& region = regions_[number];
    f(&region, kRegionHead);
    for (std::uint64_t bins = region.used_bins; bins != 0; bins &= bins - 1)
      f(&region.free[static_cast<std::size_t>(std::countr_zero(bins))], sizeof(void*));
    if (region.used_large != 0) f(&region.free[kSmall], (kClasses - kSmall) * sizeof(void*));
    const std::size_t size = region.next - begin_of(number);
    f(reinterpret_cast<const void*>(begin_of(number)), size);
    f(&shadow(begin_of(number)), (size / kGranule * 4 + 7) & ~std::size_t{7});
  }
}

}  // namespace plumb::runtime
