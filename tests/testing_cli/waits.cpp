// A program that is nothing but an exploration, of code that waits for a pipe in which nothing ever comes.
#include <unistd.h>

#include <atomic>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  int ends[2];
  if (pipe(ends) != 0) return 2;
  return plumb::explore_main(argc, argv, [&](plumb::Program& p) {
    std::atomic<int> n{0};
    p.thread([&] { n.store(1); });
    p.thread([&] {
      char byte = 0;
      if (n.load() == 0) (void)!read(ends[0], &byte, 1);
    });
    p.run();
  });
}
