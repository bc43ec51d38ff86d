// The destructor may throw: plumb could not say where that happened.
#include <plumb/plumb.hpp>

struct Throwing {
  ~Throwing() noexcept(false) {}
  int read() { return 0; }
};
PLUMB_TEST(Throwing, test) { test.operation("read", &Throwing::read); }
