// The program's variables are in every execution what they were in the first, whichever section the
// compiler has put them into.
#include <atomic>
#include <mutex>
#include <string>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::kDependsOnTheCompiler;

int zero = 0;
int one = 1;
std::atomic<int*> pointer{&zero};                                            // g++: .data.rel.local
std::string text = "abc";                                                    // g++: it points to itself
__attribute__((section(".data.result"), used)) std::atomic<int> result = 1;  // as with -fdata-sections
__attribute__((section(".data.r"), used)) std::atomic<int> r = 1;

// One of two threads finds the variable as it was, and only one.
template <bool (*take)()>
void expect_one_finds_it() {
  expect_pass(
      [](plumb::Program& p) {
        bool first = false;
        bool second = false;
        p.thread([&] { first = take(); });
        p.thread([&] { second = take(); });
        p.check([&] { return first != second; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}

bool take_pointer() { return pointer.exchange(&one) == &zero; }
bool take_result() { return result.exchange(2) == 1; }
bool take_r() { return r.exchange(2) == 1; }
bool take_text() {
  static std::mutex mutex;
  static std::string local = "abc";
  const std::lock_guard held(mutex);
  text += "d";
  local += "d";
  return text == "abcd" && local == "abcd";
}

TEST(Globals, PointersThatAreConstantInitialised) { expect_one_finds_it<take_pointer>(); }
TEST(Globals, StringsThatAreConstantInitialised) { expect_one_finds_it<take_text>(); }
TEST(Globals, SectionsOfTheirOwn) {
  expect_one_finds_it<take_result>();
  expect_one_finds_it<take_r>();
}

}  // namespace
