// A program of explore_main in which a thread ends the process.
#include <atomic>
#include <cstdlib>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [](plumb::Program& p) {
    std::atomic<int> flag{0};
    p.thread([&] { flag = 1; });
    p.thread([&] {
      if (flag == 1) std::exit(0);
    });
    p.check([] { return true; });
  });
}
