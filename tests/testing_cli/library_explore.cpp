// The same for a program that is nothing but an exploration; with an argument it fails.
#include <plumb/explore.hpp>

#include "library.hpp"

int main(int argc, char** argv) {
  const bool fails = argc > 1;
  return plumb::explore_main(1, argv, [fails](plumb::Program& p) {
    library::Counter counter;
    std::atomic<int> done{0};
    p.thread([&] {
      counter.add();
      ++done;
    });
    p.check([&] { return !fails && done == 1; });
  });
}
