// Operations that do not come back: they wait in the kernel, or compute without end.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <plumb/test.hpp>

namespace {

// Its ends stay open: what is read never comes.
int empty_pipe() {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  return ends[0];
}
const int g_pipe = empty_pipe();

struct Quick {
  std::atomic<int> count{0};
  int add() { return ++count; }
};

// Blocks whenever it is called.
struct Reads : Quick {
  int take() {
    char byte = 0;
    return read(g_pipe, &byte, 1) == 1 ? ++count : 0;
  }
};
PLUMB_TEST(Reads, test) {
  test.operation("add", &Reads::add);
  test.operation("take", &Reads::take);
}

// Blocks only where the threads meet: no serial run shows it.
struct Meets : Quick {
  std::atomic<int> inside{0};
  int meet() {
    if (++inside == 2) {
      char byte = 0;
      (void)!read(g_pipe, &byte, 1);
    }
    --inside;
    return 0;
  }
};
PLUMB_TEST(Meets, test) { test.operation("meet", &Meets::meet); }

struct Computes : Quick {
  int compute() {
    for (;;) asm volatile("");
  }
};
PLUMB_TEST(Computes, test) {
  test.operation("compute", [](Computes& computes) { return computes.compute(); });
  test.model("counter");  // or its serial run would be refused
  test.scenario({{plumb::call("compute")}});
}

struct Constructs : Quick {
  Constructs() {
    char byte = 0;
    (void)!read(g_pipe, &byte, 1);
  }
};
PLUMB_TEST(Constructs, test) { test.operation("add", &Constructs::add); }

// Not even a signal gets through.
struct Deaf : Reads {
  int block() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    return take();
  }
};
PLUMB_TEST(Deaf, test) {
  test.operation("add", &Deaf::add);
  test.operation("block", &Deaf::block);
}

// With a model there is no serial run: real threads wait.
struct Stressed {
  void write(int) {
    char byte = 0;
    (void)!read(g_pipe, &byte, 1);
  }
};
PLUMB_TEST(Stressed, test) {
  test.operation("write", &Stressed::write, plumb::values(1));
  test.model("register");
}

// A fault that is found at once, in a class whose smaller scenarios block.
struct Faulty {
  std::atomic<int> count{0};
  int add() {
    const int before = count.load();
    count.store(before + 1);
    return before;
  }
  int take() {
    char byte = 0;
    if (count.load() == 0) (void)!read(g_pipe, &byte, 1);
    return 0;
  }
};
PLUMB_TEST(Faulty, test) {
  test.operation("add", &Faulty::add);
  test.operation("take", &Faulty::take);
  test.before(plumb::call("add"));
  test.scenario({{plumb::call("add"), plumb::call("take")}, {plumb::call("add")}});
}

}  // namespace
