#include <plumb/plumb.hpp>

struct Subject {
  explicit Subject(int) {}
  void set() {}
};
PLUMB_TEST(Subject, test) { test.operation("set", &Subject::set); }
