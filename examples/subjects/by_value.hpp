// A container whose pop gives its element by reference, and says whether there was one, as one whose pop returns it or nothing.
#pragma once

#include <optional>

#include <plumb/plumb.hpp>

template <class Container>
class ByValue {
 public:
  bool push(int value) {
    if constexpr (requires { container_.try_push(value); }) {
      return container_.try_push(value);
    } else {
      return container_.push(value);
    }
  }
  std::optional<int> pop() {
    int value = 0;
    bool found = false;
    if constexpr (requires { container_.try_pop(value); }) {
      found = container_.try_pop(value);
    } else {
      found = container_.pop(value);
    }
    return found ? std::optional(value) : std::nullopt;
  }

 private:
  Container container_;
};

template <class S>
void push_and_pop(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
}
