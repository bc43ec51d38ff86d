// Mistakes that test authors make. Each gets a sentence and status 2: see CMakeLists.txt.
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <plumb/plumb.hpp>

namespace {

using plumb::call;

// A type a mistake: the name of a test is that of its class.
template <int>
struct Counter {
  std::atomic<int> count{0};
  int add(int n) { return count.fetch_add(n); }
  int read() { return count.load(); }
  void count_for_ever() {
    for (;;) count.fetch_add(1);
  }
};

template <class C>
void add_and_read(plumb::Test<C>& test) {
  test.operation("add", &C::add, plumb::values(1, 2));
  test.operation("read", &C::read);
}

using Right = Counter<0>;
PLUMB_TEST(Right, test) { add_and_read(test); }
PLUMB_TEST(Right, any_name, "only add") { any_name.operation("add", &Right::add, plumb::values(1, 2)); }

// One definition, several tests.
PLUMB_TEST_TYPES(Some, test, "both", Counter<20>, Counter<21>) {
  test.operation("add", &Some::add, plumb::values(1, 2));
  test.operation("read", &Some::read);
}
struct From {
  std::atomic<int> n{0};
  From() = default;
  explicit From(int first) : n(first) {}
  int take() { return n.fetch_add(1); }
};
PLUMB_TEST_VALUES(From, test, first, "from", 3, 7) {
  test.construct(first);
  test.operation("take", &From::take);
  test.operation("is_late", [first](From& from) { return from.n.load() < first; });
}

// A class as the model.
struct Summed {
  int sum = 0;
  int add(int n) { return std::exchange(sum, sum + n); }
  int read() const { return sum; }
  bool operator==(const Summed&) const = default;
  [[nodiscard]] auto fields() const { return std::tie(sum); }
};
PLUMB_MODEL(Summed, model) {
  model.operation("add", &Summed::add);
  model.operation("read", &Summed::read);
}
PLUMB_TEST(Counter<22>, test, "described") {
  test.operation("add", &Counter<22>::add, plumb::values(1, 2));
  test.operation("read", &Counter<22>::read);
  test.model<Summed>();
}
struct Undescribed {};
using NotDescribed = Counter<23>;
PLUMB_TEST(NotDescribed, test) {
  test.operation("read", &NotDescribed::read);
  test.model<Undescribed>();
}

using Nothing = Counter<1>;
PLUMB_TEST(Nothing, test) { (void)test; }

using Twice = Counter<2>;
PLUMB_TEST(Twice, test) {
  add_and_read(test);
  test.operation("add", &Twice::add, plumb::values(3));
}

using UnknownOperation = Counter<3>;
PLUMB_TEST(UnknownOperation, test) {
  add_and_read(test);
  test.scenario({{call("raed")}, {call("add", 1)}});
}

using UnknownBefore = Counter<4>;
PLUMB_TEST(UnknownBefore, test) {
  add_and_read(test);
  test.before(call("subtract", 1));
}

using WrongNumber = Counter<5>;
PLUMB_TEST(WrongNumber, test) {
  add_and_read(test);
  test.scenario({{call("add")}});
}

using WrongType = Counter<6>;
PLUMB_TEST(WrongType, test) {
  add_and_read(test);
  test.scenario({{call("add", "one")}});
}

using NoThreads = Counter<7>;
PLUMB_TEST(NoThreads, test) {
  add_and_read(test);
  test.scenario({});
}

using NoCalls = Counter<24>;
PLUMB_TEST(NoCalls, test) {
  add_and_read(test);
  test.scenario({{}, {}});
}

using TwoProducers = Counter<25>;
PLUMB_TEST(TwoProducers, test) {
  test.operation("add", &TwoProducers::add, plumb::values(1, 2)).one_thread("producer");
  test.scenario({{call("add", 1)}, {call("add", 2)}});
}

// What it is called and what it throws is not for a terminal as it is.
struct Controls {
  std::atomic<int> calls{0};
  int fail() {
    const int before = calls.load();
    calls.store(before + 1);
    throw std::runtime_error(before == 0 ? "\x1b[31mred\xff" : "more");
  }
};
PLUMB_TEST(Controls, test) { test.operation("na\x03me", &Controls::fail); }

// A name that a shell would not take as it is. Two tests on one line have a number each.
struct Loses {
  std::atomic<int> count{0};
  int add() {
    const int before = count.load();
    count.store(before + 1);
    return before;
  }
};
// clang-format off
PLUMB_TEST(Loses, test, "it's") { test.operation("add", &Loses::add); } PLUMB_TEST(Loses, test, "its twin") { test.operation("add", &Loses::add); }
// clang-format on

using NoValues = Counter<8>;
PLUMB_TEST(NoValues, test) { test.operation("add", &NoValues::add, plumb::range(2, 1)); }

using UnknownModel = Counter<9>;
PLUMB_TEST(UnknownModel, test) {
  add_and_read(test);
  test.model("conter");
}

using WrongModel = Counter<10>;
PLUMB_TEST(WrongModel, test) {
  add_and_read(test);
  test.model("queue");
}

using Endless = Counter<11>;
PLUMB_TEST(Endless, test) {
  add_and_read(test);
  test.operation("count_for_ever", &Endless::count_for_ever);
}

struct Spins : Counter<14> {
  void spin() {
    while (count.load() >= 0) {
    }
  }
};
PLUMB_TEST(Spins, test) {
  add_and_read(test);
  test.operation("spin", &Spins::spin);
}

// Without a step.
struct Hangs : Counter<15> {
  static void hang() {
    for (;;) asm volatile("");
  }
};
PLUMB_TEST(Hangs, test) {
  add_and_read(test);
  test.operation("hang", [](Hangs&) { Hangs::hang(); });
}

struct Throws : Counter<12> {
  Throws() { throw std::runtime_error("no counter today"); }
};
PLUMB_TEST(Throws, test) { add_and_read(test); }

struct ThrowsAnything : Counter<13> {
  ThrowsAnything() { throw 7; }
};
PLUMB_TEST(ThrowsAnything, test) { test.operation("read", &ThrowsAnything::read); }

// Ended by others: they are no findings about the class.
struct Killed : Counter<14> {
  int die() { return std::raise(SIGKILL); }
};
PLUMB_TEST(Killed, test) {
  test.operation("read", &Killed::read);
  test.operation("die", &Killed::die);
}

}  // namespace
