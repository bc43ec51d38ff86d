// The same for a program that is nothing but an exploration, and a local variable that its threads share.
#include <plumb/explore.hpp>

#include "unhooked.hpp"

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [](plumb::Program& p) {
    long shared = 0;
    long seen = 0;
    p.thread([&] { unhooked::store(shared, 1); });
    p.thread([&] { seen = shared; });
    p.check([&] { return seen <= 1; });
  });
}
