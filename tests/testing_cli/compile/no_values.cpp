#include <plumb/plumb.hpp>

struct Subject {
  void set(int) {}
};
PLUMB_TEST(Subject, test) { test.operation("set", &Subject::set); }
