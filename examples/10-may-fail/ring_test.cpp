#include <deque>
#include <optional>
#include <tuple>

#include <plumb/plumb.hpp>

#include "ring.hpp"

// Red: pop() says "empty" after a push() has returned.
PLUMB_TEST(Ring, test, "as it is") {
  test.operation("push", &Ring::push, plumb::values(1, 2));
  test.operation("pop", &Ring::pop);
}

// Green: that is what its users expect while others are at work. Alone, each call has to do what it says.
template <class R>
void ring_with_its_contract(plumb::Test<R>& test) {
  test.operation("push", &R::push, plumb::values(1, 2)).may_fail_when_contended();
  test.operation("pop", &R::pop).may_fail_when_contended();
}
PLUMB_TEST(Ring, test, "with its contract") { ring_with_its_contract(test); }

// Red again, by a real fault. The cell is written by two threads at once, which is a race, too, and would be reported first.
PLUMB_TEST(FaultyRing, test, "with a fault") {
  ring_with_its_contract(test);
  test.allow_races();
}

// The same by a specification: what a queue of two cells is.
struct QueueOfTwo {
  std::deque<int> items;
  bool push(int value) {
    if (items.size() == 2) return false;
    items.push_back(value);
    return true;
  }
  std::optional<int> pop() {
    if (items.empty()) return std::nullopt;
    const int value = items.front();
    items.pop_front();
    return value;
  }
  bool operator==(const QueueOfTwo&) const = default;
  [[nodiscard]] auto fields() const { return std::tie(items); }
};
PLUMB_MODEL(QueueOfTwo, model) {
  model.operation("push", &QueueOfTwo::push);
  model.operation("pop", &QueueOfTwo::pop);
}
PLUMB_TEST(Ring, test, "against a model") {
  ring_with_its_contract(test);
  test.model<QueueOfTwo>();
}
