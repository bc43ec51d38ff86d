// libcds as it comes: a queue and a stack with hazard pointers. What stands in its shared library runs as one
// step, and the order that it gives is not seen: races are not asked for. Its own variables are not put back
// when an execution is given up, so none is: depth first.
#include <cds/container/msqueue.h>
#include <cds/container/treiber_stack.h>
#include <cds/gc/hp.h>
#include <cds/init.h>

#include <array>

#include "explore/programs.hpp"

namespace {

struct Library {
  Library() {
    cds::Initialize();
    hazards = new cds::gc::HP;
  }
  ~Library() {
    delete hazards;
    cds::Terminate();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  cds::gc::HP* hazards = nullptr;
};
struct Attached {
  Attached() { cds::threading::Manager::attachThread(); }
  ~Attached() { cds::threading::Manager::detachThread(); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
};

template <class Container>
void push_and_pop(plumb::Program& p) {
  const Library library;
  {
    const Attached here;
    Container container;
    std::array<int, 2> got{};
    for (std::size_t i = 0; i < 2; ++i) {
      p.thread([&, i] {
        const Attached me;
        container.push(static_cast<int>(i) + 1);
        p.require(container.pop(got[i]), "it held at least this thread's value");
      });
    }
    p.check([&] { return got[0] + got[1] == 3; });
  }
}
TEST(Libcds, MichaelScottQueue) {
  const auto result =
      plumb::explore(push_and_pop<cds::container::MSQueue<cds::gc::HP, int>>,
                     {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 1, .races = false});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_GT(result.executions, 2);
}
TEST(Libcds, TreiberStack) {
  const auto result =
      plumb::explore(push_and_pop<cds::container::TreiberStack<cds::gc::HP, int>>,
                     {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 1, .races = false});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_GT(result.executions, 2);
}

}  // namespace
