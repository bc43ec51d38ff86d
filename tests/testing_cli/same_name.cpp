// Two tests of one name: the program says so, with both places, before it does anything else.
#include <plumb/plumb.hpp>

struct Same {
  int zero() { return 0; }
};

// NOLINTBEGIN
PLUMB_TEST(Same, test) { test.operation("zero", &Same::zero); }
PLUMB_TEST(Same, test) { test.operation("zero", &Same::zero); }
// NOLINTEND
