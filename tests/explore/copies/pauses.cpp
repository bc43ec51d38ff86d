// Instructions that only pause are left out: a library that backs off makes thousands of them in a row (cmake/instrumented.h).
#include <gtest/gtest.h>

#if defined(__x86_64__) && !defined(__clang__)

namespace {

extern "C" const char plumb_test_pauses_begin[];  // NOLINT(modernize-avoid-c-arrays): places in the code
extern "C" const char plumb_test_pauses_end[];    // NOLINT(modernize-avoid-c-arrays)

[[gnu::noinline, gnu::noclone]] void pause() {
  asm volatile("plumb_test_pauses_begin:");
  asm volatile("pause; pause");
  asm volatile("pause;");
  __builtin_ia32_pause();
  asm volatile("plumb_test_pauses_end:");
}

TEST(Pauses, AreLeftOut) {
  pause();
  EXPECT_EQ(plumb_test_pauses_end - plumb_test_pauses_begin, 0);
}

}  // namespace

#endif
