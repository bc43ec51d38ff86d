#include <plumb/plumb.hpp>

struct Point {
  bool operator==(const Point&) const = default;
};
struct Subject {
  Point get() { return {}; }
};
PLUMB_TEST(Subject, test) { test.operation("get", &Subject::get); }
