// Mutex and semaphore: operations that wait. A process that waits holds nothing, and one that holds something
// lets go of it in the end, so no run gets stuck; a process that is lost holds nothing.
#include <vector>

#include "spec/workload.hpp"

namespace plumb {
namespace {

// A mutex is a semaphore with one permit, but for its names and that try_acquire says nothing of how many.
class LockWorkload : public Workload {
 public:
  LockWorkload(const Setting& setting, std::size_t permits)
      : s_(setting),
        permits_(permits),
        free_(permits),
        held_(setting.options.processes),
        may_hold_(held_.size()) {}

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    // Every process that holds something, or may soon, needs one more operation to let go of it.
    const bool closing = progress.remaining() <= outstanding_;
    if (closing) return let_go(slot);
    if (held_[slot] != 0 && s_.rng.chance(0.5)) return Request{slot, kRelease, amount(some(held_[slot]))};
    const bool waits = held_[slot] == 0 && s_.rng.chance(0.5);
    return Request{slot, waits ? kAcquire : kTryAcquire, amount(some(permits_))};
  }

  std::optional<Request> let_go(std::size_t slot) override {
    if (held_[slot] == 0) return std::nullopt;
    return Request{slot, kRelease, amount(held_[slot])};
  }

  void called(const Request& request, bool lost) override {
    if (lost || request.operation == kRelease || may_hold_[request.slot]) return;
    may_hold_[request.slot] = true;
    ++outstanding_;
  }

  // What is lost holds nothing, whether or not it happens: another process could wait for it forever.
  Loss loss(const Request& request) const override {
    if (request.operation == kRelease) {
      return asked(request) == held_[request.slot] ? Loss::kMustHappen : Loss::kForbidden;
    }
    return held_[request.slot] == 0 ? Loss::kMustNotHappen : Loss::kForbidden;
  }

  bool is_possible(const Request& request) const override {
    return request.operation != kAcquire || asked(request) <= free_;
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    std::size_t& held = held_[request.slot];
    const std::size_t n = asked(request);
    const bool enough = n <= free_;
    if (request.operation == kAcquire && !enough) return std::nullopt;
    if (request.operation == kRelease) {
      held -= n;
      free_ += n;
    } else if (enough) {
      held += n;
      free_ -= n;
    }
    if (held == 0 && may_hold_[request.slot]) {
      may_hold_[request.slot] = false;
      --outstanding_;
    }
    return request.operation == kTryAcquire ? Value::boolean(enough) : kNull;
  }

  // Everything is free and one process takes all of it; then another gets one more. There are no more permits
  // than at this moment: all that was acquired and returned has been released, lost releases counted, and a
  // lost acquire could only make them fewer. Of a mutex: the one that holds it is alive and has not called
  // release.
  void spoil(Script& script) override {
    script.run_anywhere(kAcquire, amount(permits_));
    script.record(script.run_anywhere(kTryAcquire, amount(1)), kTrue);
  }

 protected:
  [[nodiscard]] virtual Arguments amount(std::size_t n) const = 0;
  Setting s_;

 private:
  enum : std::uint32_t { kAcquire, kRelease, kTryAcquire };
  std::size_t some(std::size_t most) { return 1 + s_.rng.below(most); }
  [[nodiscard]] std::size_t asked(const Request& request) const {
    if (request.args.all().empty()) return 1;
    return static_cast<std::size_t>(s_.values.as_integer(request.args[0]));
  }

  std::size_t permits_;
  std::size_t free_;
  std::vector<std::size_t> held_;  // by slot
  std::vector<bool> may_hold_;     // holds something, or is about to
  std::size_t outstanding_ = 0;    // how many of those
};

class MutexWorkload final : public LockWorkload {
 public:
  explicit MutexWorkload(const Setting& setting) : LockWorkload(setting, 1) {}

 private:
  Arguments amount(std::size_t) const override { return {}; }
};

class SemaphoreWorkload final : public LockWorkload {
 public:
  explicit SemaphoreWorkload(const Setting& setting) : LockWorkload(setting, setting.options.values) {}
  Value initial() const override { return s_.values.integer(static_cast<std::int64_t>(s_.options.values)); }

 private:
  // One permit may also be asked for without saying so.
  Arguments amount(std::size_t n) const override {
    if (n == 1 && s_.rng.chance(0.5)) return {};
    return {s_.values.integer(static_cast<std::int64_t>(n))};
  }
};

}  // namespace

std::unique_ptr<Workload> mutex_workload(const Setting& setting) {
  return std::make_unique<MutexWorkload>(setting);
}
std::unique_ptr<Workload> semaphore_workload(const Setting& setting) {
  return std::make_unique<SemaphoreWorkload>(setting);
}

}  // namespace plumb
