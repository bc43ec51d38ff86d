// The test programs of the Round-Up paper (tables II, III and V), named as there: 2x3+3 has a thread with two
// calls, another with three, and three calls that run serially. Everything that is put in is taken out again,
// as quasi linearizability needs it.
#pragma once

#include <string>

#include <plumb/plumb.hpp>

namespace quasi {

// What the operations of a structure are called.
struct Kind {
  const char* model;
  const char* put;
  const char* take;
};
inline constexpr Kind kQueue{"queue", "enqueue", "dequeue"};
inline constexpr Kind kStack{"stack", "push", "pop"};
inline constexpr Kind kPriorityQueue{"priority-queue", "insert", "extract_min"};

// Each + puts the next value in, each - takes one out.
struct Calls {
  const char* name;
  const char* before;
  const char* one;
  const char* other;
  const char* after;
};
inline constexpr Calls k2x2Then4{"2x2+4", "", "++", "++", "----"};
inline constexpr Calls k4Then2x2{"4+2x2", "++++", "--", "--", ""};
inline constexpr Calls k3x3Then4{"3x3+4", "", "+++", "++-", "----"};
inline constexpr Calls k2x3Then3{"2x3+3", "", "++", "++-", "---"};
inline constexpr Calls k3x3Then2{"3x3+2", "", "++-", "++-", "--"};
inline constexpr Calls k3x4Then1{"3x4+1", "", "++-", "++--", "-"};
inline constexpr Calls k4x4{"4x4+0", "", "++--", "++--", ""};
inline constexpr Calls kPutTake{"1x1+12, put and take", "++++++", "+", "-", "------"};
inline constexpr Calls kPutPut{"1x1+12, put and put", "+++++", "+", "+", "-------"};
inline constexpr Calls kTakeTake{"1x1+12, take and take", "+++++++", "-", "-", "-----"};
// The top segment of a k-stack with three slots is empty when the threads begin.
inline constexpr Calls kPutTakeAtEmptySegment{"1x1+12, put and take", "++++-", "+", "-", "++-----"};

// One of the programs, for a removal that may be `distance` places off; 0 asks for linearizability.
template <class S>
void program(plumb::Test<S>& test, const Kind& kind, const Calls& calls, unsigned distance) {
  test.operation(
      kind.put, [](S& subject, int value) { subject.put(value); }, plumb::values(1));
  test.operation(kind.take, &S::take);
  test.model(kind.model);
  if (distance > 0) test.relax(kind.take, distance);
  int value = 0;
  const auto each = [&](const std::string& signs, auto add) {
    for (const char sign : signs) add(sign == '+' ? plumb::call(kind.put, ++value) : plumb::call(kind.take));
  };
  plumb::TestMatrix threads(2);
  each(calls.before, [&](plumb::TestCall call) { test.before(std::move(call)); });
  each(calls.one, [&](plumb::TestCall call) { threads[0].push_back(std::move(call)); });
  each(calls.other, [&](plumb::TestCall call) { threads[1].push_back(std::move(call)); });
  each(calls.after, [&](plumb::TestCall call) { test.after(std::move(call)); });
  test.scenario(std::move(threads));
}

}  // namespace quasi
