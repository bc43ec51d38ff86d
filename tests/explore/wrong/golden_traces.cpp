// How findings read: names, source lines, folded loops. The same from both compilers, at all levels of
// optimisation. `make approve` accepts the present text (tests/explore/golden).
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "explore/programs.hpp"
#include "paths.hpp"

namespace {

// Without what may differ from build to build: the folder, the build's id, the counts, the libraries under
// test.
std::string stable(const std::string& text) {
  std::string result = std::regex_replace(text, std::regex("plumb1-[0-9a-f]{8}"), "plumb1-(build)");
  result = std::regex_replace(result, std::regex("[0-9]+ executions?, .* steps?\n|not watched: .*\n"), "");
  return std::regex_replace(result, std::regex("/[^ \n]*/golden_traces"), "golden_traces");
}

void expect_golden(plumb_tests::Body program, const std::string& name) {
  const std::string now = stable(
      plumb::explore(program, {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 2, .steps = 300})
          .text());
  const std::string path = std::string(PLUMB_EXPLORE_GOLDEN) + "/" + name + ".txt";
  if (std::getenv("PLUMB_APPROVE") != nullptr) std::ofstream(path) << now;
  std::ostringstream approved;
  approved << std::ifstream(path).rdbuf();
  EXPECT_EQ(now, approved.str());
}

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};
struct Stack {
  std::atomic<Node*> top{nullptr};

  void push(Node* node) {
    Node* old = top.load();
    do {
      node->next.store(old);
    } while (!top.compare_exchange_weak(old, node));
  }
  Node* pop() {
    Node* node = top.load();
    while (node != nullptr && !top.compare_exchange_weak(node, node->next.load())) {
    }
    return node;
  }
};

void aba(plumb::Program& p) {
  Stack stack;
  std::array<Node, 2> nodes;
  std::array<Node*, 3> taken{};
  stack.push(&nodes[0]);
  stack.push(&nodes[1]);
  p.thread([&] { taken[0] = stack.pop(); });
  p.thread([&] {
    Node* first = stack.pop();
    taken[1] = stack.pop();
    stack.push(first);
  });
  p.check([&] {
    taken[2] = stack.pop();
    return taken[2] == nullptr || (taken[2] != taken[0] && taken[2] != taken[1]);
  });
}
TEST(GoldenTrace, LocalVariables) { expect_golden(aba, "local-variables"); }

void freed_too_early(plumb::Program& p) {
  auto* stack = new Stack;
  p.name(stack, "stack");
  for (int i = 0; i < 2; ++i) stack->push(new Node);
  for (int i = 0; i < 2; ++i) p.thread([=] { delete stack->pop(); });
  p.check([] { return true; });
  delete stack;
}
TEST(GoldenTrace, UseAfterFree) { expect_golden(freed_too_early, "use-after-free"); }

void double_free(plumb::Program& p) {
  static std::atomic<int*> shared;
  shared = new int(1);
  for (int i = 0; i < 2; ++i) {
    p.thread([] {
      int* mine = shared.load();
      shared.store(nullptr);
      delete mine;
    });
  }
  p.check([] { return true; });
}
TEST(GoldenTrace, DoubleFree) { expect_golden(double_free, "double-free"); }

}  // namespace

// Seen from elsewhere: otherwise clang takes the object to pieces, and tells of some of them only.
namespace golden {

struct Settings {
  static std::atomic<int> version;
  int width = 0;
  struct {
    std::array<int, 3> colours{};
    std::atomic<bool> ready{false};
  } picture;
};
std::atomic<int> Settings::version{0};
Settings g_settings;

}  // namespace golden

namespace {

using golden::g_settings;
using golden::Settings;

void race(plumb::Program& p) {
  p.thread([] {
    g_settings.picture.colours[2] = 7;
    g_settings.picture.ready.store(true, std::memory_order_relaxed);
    Settings::version = -1;
  });
  p.thread([&p] {
    if (g_settings.picture.ready.load(std::memory_order_acquire))
      p.require(g_settings.picture.colours[2] == 7, "the colour is there");
  });
  p.check([] { return Settings::version == -1; });
}
TEST(GoldenTrace, RaceOnAGlobal) { expect_golden(race, "race"); }

void deadlock(plumb::Program& p) {
  std::mutex first;
  std::mutex second;
  p.thread([&] {
    const std::lock_guard one(first);
    const std::lock_guard two(second);
  });
  p.thread([&] {
    const std::lock_guard two(second);
    const std::lock_guard one(first);
  });
  p.check([] { return true; });
}
TEST(GoldenTrace, Deadlock) { expect_golden(deadlock, "deadlock"); }

void livelock(plumb::Program& p) {
  std::atomic<int> turns{0};
  std::atomic<bool> stop{false};
  p.thread([&] {
    while (!stop) turns.fetch_add(1);
  });
  p.check([] { return true; });
}
TEST(GoldenTrace, ALoopIsFolded) { expect_golden(livelock, "livelock"); }

void leak(plumb::Program& p) {
  std::atomic<int*> last{nullptr};
  p.thread([&] {
    for (int i = 0; i < 2; ++i) last = new int(i);
  });
  p.check([] { return true; });
  delete last.load();
}
TEST(GoldenTrace, Leak) { expect_golden(leak, "leak"); }

void exception(plumb::Program& p) {
  std::atomic<int> n{0};
  p.thread([&] {
    if (n.fetch_add(1) == 1) throw std::runtime_error("not again");
  });
  p.thread([&] { n.fetch_add(1); });
  p.check([] { return true; });
}
TEST(GoldenTrace, Exception) { expect_golden(exception, "exception"); }

TEST(Trace, StepsKnowTheirPlaces) {
  const auto result = plumb::explore(aba);
  ASSERT_FALSE(result.trace.empty());
  for (const plumb::TraceStep& step : result.trace) {
    ASSERT_GE(step.places.size(), 2) << step.what;  // in the stack, called by the program
    EXPECT_TRUE(step.places.front().file.ends_with("/tests/explore/wrong/golden_traces.cpp"));
    EXPECT_TRUE(step.places.front().function == "Stack::push" ||
                step.places.front().function == "Stack::pop");
    EXPECT_LT(step.places.front().line, step.places.back().line);
  }
}

TEST(Trace, ANamedObjectWithoutAType) {
  const auto result = plumb::explore([](plumb::Program& p) {
    auto* cells = new std::array<std::atomic<int>, 2>();
    p.name(static_cast<const void*>(cells), "cells", sizeof *cells);
    p.thread([=] { (*cells)[1] = 5; });
    p.check([=] { return (*cells)[1] == 0; });
  });
  EXPECT_NE(result.text().find("store cells+4: 0 -> 5"), std::string::npos) << result.text();
}

}  // namespace
