// What the threads of an execution came to, one step after the other, and what those of the execution before it came to. A
// search begins an execution with choices that were made before; where the program then comes to another step, the test is
// not deterministic, and this tells the first step that differs. Writing it down costs a few instructions per step; the two
// are compared only when a choice is found to be another one than it was.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "explore/clock.hpp"
#include "runtime/control.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

struct LoggedStep {
  const void* pc;
  const void* address;
  std::uint8_t thread;
  runtime::StepKind kind;
  bool ended;  // the thread came to its end instead

  bool operator==(const LoggedStep&) const = default;
};

struct Difference {
  bool found = false;
  std::size_t number = 0;  // of the step, from 1
  LoggedStep before{};
  LoggedStep now{};
};

class StepLog {
 public:
  void begin() {
    std::swap(now_, before_);
    size_before_ = size_;
    size_ = 0;
  }
  void append(int thread, const runtime::Step& step) {
    now_[size_++] = {step.pc, step.address, static_cast<std::uint8_t>(thread), step.kind, false};
  }
  void append_end(int thread) {
    now_[size_++] = {nullptr, nullptr, static_cast<std::uint8_t>(thread), runtime::StepKind::kYield, true};
  }

  // Where the thread's last step was; null: it has come to none. Also asked by the thread that watches, while this one stands still.
  const void* last(int thread) const {
    for (std::size_t i = size_; i > 0; --i) {
      if (now_[i - 1].thread == thread && now_[i - 1].pc != nullptr) return now_[i - 1].pc;
    }
    return nullptr;
  }

  Difference difference() const {
    for (std::size_t i = 0; i < size_ && i < size_before_; ++i) {
      if (!(now_[i] == before_[i]))
        return {.found = true, .number = i + 1, .before = before_[i], .now = now_[i]};
    }
    return {};
  }

 private:
  using Room = std::array<LoggedStep, kMaxSteps + runtime::kMaxThreads + 1>;

  // One exploration runs at a time, and most are small: to get room for as many steps as an execution may take, and give it back, would
  // take as long as a small one. What is never touched takes no memory.
  static inline std::array<Room, 2> rooms_;
  LoggedStep* now_ = rooms_[0].data();
  LoggedStep* before_ = rooms_[1].data();
  std::size_t size_ = 0;
  std::size_t size_before_ = 0;
};

}  // namespace plumb::engine
