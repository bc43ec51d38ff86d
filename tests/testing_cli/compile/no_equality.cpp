#include <ostream>
#include <plumb/plumb.hpp>

struct Point {
  friend std::ostream& operator<<(std::ostream& out, const Point&) { return out; }
};
struct Subject {
  Point get() { return {}; }
};
PLUMB_TEST(Subject, test) { test.operation("get", &Subject::get); }
