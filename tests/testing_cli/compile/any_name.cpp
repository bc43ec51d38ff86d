// Whatever the parameters of the macros are called, and wherever they stand.
#include <plumb/object_model.hpp>
#include <plumb/plumb.hpp>

struct Subject {
  int get() { return 0; }
};

PLUMB_TEST(Subject, t) { t.operation("get", &Subject::get); }
PLUMB_TEST(Subject, plumb) { plumb.operation("get", &Subject::get); }
PLUMB_TEST(Subject, registered) { registered.operation("get", &Subject::get); }

namespace mine {

namespace plumb {}  // namespace plumb

struct test {
  int get() { return 0; }
};

PLUMB_TEST(test, Test) { Test.operation("get", &test::get); }

struct made {
  bool operator==(const made&) const = default;
  [[nodiscard]] std::size_t hash() const { return 0; }
  int get() { return 0; }
};

PLUMB_MODEL(made, Type) { Type.operation("get", &made::get); }

}  // namespace mine
