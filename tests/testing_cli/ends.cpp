// Classes that end the process, with a status that would pass for "right". Each is a crash, and the tests after it are run.
#include <err.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include <plumb/plumb.hpp>

namespace {

[[noreturn]] void leave_by(const char* how) {
  switch (*how) {
    case 'e':
      std::exit(0);
    case '_':
      ::_exit(0);
    case 'E':
      std::_Exit(0);
    case 'q':
      std::quick_exit(0);
    case 't':
      std::set_terminate([] { std::exit(0); });
      std::terminate();
    default:
      execl("/bin/true", "true", nullptr);
      std::abort();
  }
}

// Who sees another thread's step in between ends the process.
template <char How>
struct Quits {
  std::atomic<int> n{0};
  int f() {
    const int before = n.load();
    static const char how = How;
    if (n.load() != before) leave_by(&how);
    return n.fetch_add(1);
  }
};
using Exit = Quits<'e'>;
using UnderExit = Quits<'_'>;
using CapitalExit = Quits<'E'>;
using QuickExit = Quits<'q'>;
using Exec = Quits<'x'>;
PLUMB_TEST(Exit, test) { test.operation("f", &Exit::f); }
PLUMB_TEST(UnderExit, test) { test.operation("f", &UnderExit::f); }
PLUMB_TEST(CapitalExit, test) { test.operation("f", &CapitalExit::f); }
PLUMB_TEST(QuickExit, test) { test.operation("f", &QuickExit::f); }
PLUMB_TEST(Exec, test) { test.operation("f", &Exec::f); }

struct AtOnce {
  int f() { std::exit(0); }
};
PLUMB_TEST(AtOnce, test) { test.operation("f", &AtOnce::f); }

struct Terminates {
  int f() { leave_by("t"); }
};
PLUMB_TEST(Terminates, test) { test.operation("f", &Terminates::f); }

struct InConstructor {
  InConstructor() { std::exit(0); }
  int f() { return 1; }
};
PLUMB_TEST(InConstructor, test) { test.operation("f", &InConstructor::f); }

struct InDestructor {
  ~InDestructor() { std::exit(0); }
  std::atomic<int> n{0};
  int f() { return n.fetch_add(1); }
};
PLUMB_TEST(InDestructor, test) { test.operation("f", &InDestructor::f); }

struct Definition {
  int f() { return 1; }
};
PLUMB_TEST(Definition, test) {
  test.operation("f", &Definition::f);
  if (std::getenv("ENDS_IN_DEFINITION") != nullptr) std::exit(0);
}

// Only where threads are real.
struct InStress {
  std::atomic<int> n{0};
  int f() {
    if (n.fetch_add(1) > 0) std::exit(0);
    return 0;
  }
};
PLUMB_TEST(InStress, test) {
  test.operation("read", &InStress::f);
  test.model("counter");
}

// From within a library: no call of exit() is seen.
struct Unseen {
  int f() {
    if (std::getenv("ENDS_IN_LIBRARY") != nullptr) errx(0, "enough");
    return 1;
  }
};
PLUMB_TEST(Unseen, test) { test.operation("f", &Unseen::f); }

struct Last {
  int f() { return 1; }
};
PLUMB_TEST(Last, test) { test.operation("f", &Last::f); }

}  // namespace
