#include "explore/survey.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "runtime/program_data.hpp"

namespace plumb::engine {
namespace {

using runtime::Step;
using runtime::StepKind;

constexpr std::size_t kLargest = std::size_t{256} << 10U;  // bytes of what is looked at in one piece
constexpr std::size_t kMostBytes = std::size_t{2} << 20U;  // and of all together
// Bytes compared in an execution: when it is so many, plain accesses are no longer looked at, then nothing is.
constexpr std::size_t kWithPlain = std::size_t{8} << 20U;
constexpr std::size_t kMostCompared = std::size_t{64} << 20U;
constexpr std::size_t kToldCosts = 64;  // to note an access takes as long as to compare so many
constexpr std::size_t kMostChanges = 1000;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// How much of the object the runtime keeps up itself. A spin lock tells its size, mutexes and reader-writer locks do not: but what those
// who read change of the latter, behind the size of a mutex, only they do.
std::size_t object_size(const Step& step) {
  switch (step.kind) {
    case StepKind::kLock:
    case StepKind::kTryLock:
    case StepKind::kUnlock:
      return step.size == sizeof(pthread_spinlock_t) ? sizeof(pthread_spinlock_t) : sizeof(pthread_mutex_t);
    case StepKind::kReadLock:
    case StepKind::kTryReadLock:
      return sizeof(pthread_rwlock_t);
    case StepKind::kWait:
    case StepKind::kWake:
    case StepKind::kSignal:
    case StepKind::kBroadcast:
      return sizeof(pthread_cond_t);
    case StepKind::kAcquire:
    case StepKind::kTryAcquire:
    case StepKind::kPost:
    case StepKind::kLook:
      return sizeof(sem_t);
    case StepKind::kBarrier:
    case StepKind::kBarrierLeave:
      return sizeof(pthread_barrier_t);
    case StepKind::kOnce:
      return sizeof(pthread_once_t);
    default:
      return 0;
  }
}

bool is_operator_new(const void* pc) {
  static std::map<const void*, bool> known;  // to ask takes as long as a small execution
  const auto [found, added] = known.try_emplace(pc, false);
  if (Dl_info symbol{}; added && dladdr(pc, &symbol) != 0 && symbol.dli_sname != nullptr) {
    const std::string_view name = symbol.dli_sname;
    found->second = name.starts_with("_Znw") || name.starts_with("_Zna");
  }
  return found->second;
}

// Whether a shared library allocates for itself, and not for the program that calls `operator new`. `pc`: the caller of malloc.
bool allocated_by_library(const void* pc) {
  if (runtime::ProgramData::in_program(pc)) return false;
  CallStack stack;
  take_call_stack(stack);
  auto frame = std::ranges::find_if(stack, [pc](const Frame& each) { return each.pc == address_of(pc) - 1; });
  const auto code = [](const Frame& at) { return reinterpret_cast<const void*>(at.pc); };
  while (frame != stack.end() && is_operator_new(code(*frame))) ++frame;
  return frame != stack.end() && !runtime::ProgramData::in_program(code(*frame));
}

}  // namespace

void Survey::begin() {
  open_ = false;
  regions_.clear();
  bytes_ = compared_ = 0;
  body_ = 0;
  last_ = {};
  objects_.clear();
  of_libraries_.clear();
  known_.clear();
  changes_.clear();
  found_.clear();
}

void Survey::open(const runtime::Arena& arena) {
  if (compared_ > kMostCompared) return;
  open_ = true;
  arena.each_live([&](void* block, std::size_t size) {
    if (!of_libraries_.contains(address_of(block))) add(block, size, true);
  });
  add(runtime::ProgramData::begin(), runtime::ProgramData::size(), true);
  for (auto& [begin, region] : regions_) {
    const auto* memory = reinterpret_cast<const char*>(begin);
    region.copy.assign(memory, memory + region.bytes.size());
  }
}

void Survey::close() {
  for (const auto& [begin, region] : regions_) settle(begin, region);
  open_ = false;
  regions_.clear();
  bytes_ = 0;
  body_ = 0;
  std::erase_if(found_, [this](UnhookedWrite& write) {
    for (; write.size > 0 && of_runtime(write.address); --write.size) ++write.address;
    return write.size == 0;
  });
}

void Survey::add(const void* begin, std::size_t size, bool shared) {
  if (!open_ || size == 0 || size > kLargest || bytes_ + size > kMostBytes) return;
  Region region{.copy = {}, .bytes = std::vector<Byte>(size), .shared = shared};
  if (regions_.insert_or_assign(address_of(begin), std::move(region)).second) bytes_ += size;
}

void Survey::allocated(const void* block, std::size_t size, const void* pc) {
  if (allocated_by_library(pc)) {
    of_libraries_.insert(address_of(block));
  } else {
    add(block, size, false);
  }
}

void Survey::freed(const void* block) {
  of_libraries_.erase(address_of(block));
  const auto found = regions_.find(address_of(block));
  if (found == regions_.end()) return;
  settle(found->first, found->second);
  bytes_ -= found->second.bytes.size();
  regions_.erase(found);
}

void Survey::body_stands(const runtime::Stack& stack) {
  forget_body();
  add(reinterpret_cast<const void*>(stack.low), stack.high - stack.low, true);
  const auto added = regions_.find(stack.low);
  if (added == regions_.end()) return;
  body_ = stack.low;
  const auto* memory = reinterpret_cast<const char*>(stack.low);
  added->second.copy.assign(memory, memory + added->second.bytes.size());
  take_call_stack(body_stack_);
}

void Survey::forget_body() {
  if (body_ != 0) freed(reinterpret_cast<const void*>(body_));
  body_ = 0;
}

void Survey::look(int thread, std::optional<std::uint32_t> operation, const void* pc, bool plain) {
  if (!open_ || (plain && compared_ > kWithPlain)) return;
  if (thread == 0) forget_body();
  if (compared_ > kMostCompared) return close();
  UnhookedWrite write{.thread = thread,
                      .operation = operation,
                      .before = last_[static_cast<std::size_t>(thread)],
                      .after = pc,
                      .stack = {},
                      .owner = {}};
  for (auto& [begin, region] : regions_) {
    const auto* memory = reinterpret_cast<const char*>(begin);
    const std::size_t size = region.bytes.size();
    if (region.copy.empty()) {
      region.copy.assign(memory, memory + size);
    } else if (std::memcmp(memory, region.copy.data(), size) != 0) {
      compare(begin, region, write);
    }
  }
  compared_ += bytes_;
  last_[static_cast<std::size_t>(thread)] = pc;
}

void Survey::compare(std::uintptr_t begin, Region& region, const UnhookedWrite& write) {
  const auto* memory = reinterpret_cast<const char*>(begin);
  const Threads self = only(write.thread);
  const std::size_t size = region.bytes.size();
  const auto changed = [&](std::size_t at) {
    return at < size && memory[at] != region.copy[at] && (region.bytes[at].announced & self) == 0;
  };
  for (std::size_t at = 0; at < size; ++at) {
    if (!changed(at)) continue;
    UnhookedWrite found = write;
    found.address = begin + at;
    for (; changed(at); ++at) {
      region.bytes[at].unhooked = static_cast<Threads>(region.bytes[at].unhooked | self);
      ++found.size;
    }
    keep(std::move(found));
  }
  region.copy.assign(memory, memory + size);
}

void Survey::keep(UnhookedWrite write) {
  if (changes_.size() >= kMostChanges) return;
  if (!known_.emplace(write.address, write.thread, write.operation).second) return;
  if (write.after != nullptr) take_call_stack(write.stack);
  if (body_ != 0 && write.address >= body_) {
    const auto holder =
        std::ranges::find_if(body_stack_, [&](const Frame& frame) { return frame.holds(write.address); });
    if (holder != body_stack_.end()) write.owner = *holder;
  }
  changes_.push_back(std::move(write));
}

template <class F>
void Survey::each_byte(const void* address, std::size_t size, F f) {
  const std::uintptr_t first = address_of(address);
  auto at = regions_.upper_bound(first);
  if (at != regions_.begin()) --at;
  for (; at != regions_.end() && at->first < first + size; ++at) {
    const std::uintptr_t end = std::min(first + size, at->first + at->second.bytes.size());
    for (std::uintptr_t byte = std::max(first, at->first); byte < end; ++byte)
      f(at->second.bytes[byte - at->first]);
  }
}

void Survey::told(int thread, const void* address, std::size_t size, bool write) {
  if (compared_ > kMostCompared) return;
  compared_ += kToldCosts;
  each_byte(address, size, [self = only(thread), write](Byte& byte) {
    byte.touched = static_cast<Threads>(byte.touched | self);
    if (write) byte.announced = static_cast<Threads>(byte.announced | self);
  });
}

void Survey::executed(int thread, const Step& step, bool wrote) {
  if (!open_) return;
  if (runtime::is_atomic(step.kind)) return told(thread, step.address, step.size, wrote);
  const auto add_object = [this](const void* object, std::size_t size) {
    std::size_t& known = objects_[address_of(object)];
    known = std::max(known, size);
  };
  if (const std::size_t size = object_size(step); size != 0) add_object(step.address, size);
  if (step.also != nullptr) add_object(step.also, sizeof(pthread_mutex_t));
  if (step.kind == StepKind::kCall) calls_operation(thread);
}

// A thread between two operations has written all that it announced.
void Survey::calls_operation(int thread) {
  const auto others = static_cast<Threads>(~only(thread));
  for (auto& [begin, region] : regions_) {
    for (Byte& byte : region.bytes) byte.announced &= others;
  }
  compared_ += bytes_;
}

// Takes over what was changed there, byte by byte, as far as it counts.
void Survey::settle(std::uintptr_t begin, const Region& region) {
  const std::uintptr_t end = begin + region.bytes.size();
  std::erase_if(changes_, [&](UnhookedWrite& write) {
    if (write.address < begin || write.address >= end) return false;
    const auto others = static_cast<Threads>(~only(write.thread));
    const auto* bytes = &region.bytes[write.address - begin];
    const bool counts = region.shared || std::any_of(bytes, bytes + write.size, [others](const Byte& byte) {
                          return ((byte.touched | byte.unhooked) & others) != 0;
                        });
    if (counts) found_.push_back(std::move(write));
    return true;
  });
}

bool Survey::of_runtime(std::uintptr_t byte) const {
  const auto after = objects_.upper_bound(byte);
  if (after == objects_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return byte < begin + size;
}

}  // namespace plumb::engine
