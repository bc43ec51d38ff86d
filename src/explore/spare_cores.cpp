#include "explore/spare_cores.hpp"

#include <sys/mman.h>

#include <new>

namespace plumb::engine {

struct SpareCores::Shared {
  std::atomic<int> idle{0};
  std::atomic<int> taken{0};
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> executions{0};
};

SpareCores::SpareCores() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) shared_ = new (memory) Shared;
}

SpareCores::~SpareCores() {
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

void SpareCores::set_idle(int count) {
  if (shared_ != nullptr) shared_->idle = count;
}

void SpareCores::forget_taken() {
  if (shared_ != nullptr) shared_->taken = 0;
}

bool SpareCores::any() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return shared_ != nullptr && shared_->taken.load(kRelaxed) < shared_->idle.load(kRelaxed);
}

bool SpareCores::take() {
  if (shared_ == nullptr) return false;
  for (int taken = shared_->taken; taken < shared_->idle;) {
    if (shared_->taken.compare_exchange_weak(taken, taken + 1)) return true;
  }
  return false;
}

void SpareCores::give_back() {
  if (shared_ != nullptr) --shared_->taken;
}

std::atomic<bool>* SpareCores::stop() { return shared_ == nullptr ? nullptr : &shared_->stop; }

std::uint64_t SpareCores::count_executions(std::uint64_t more) {
  return shared_ == nullptr ? 0 : shared_->executions += more;
}

}  // namespace plumb::engine
