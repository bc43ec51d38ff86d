// Stacks are as large as those of real threads.
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "explore/programs.hpp"

namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20U;

// So much of it is used: a byte of each page is touched.
template <std::size_t kBytes>
[[gnu::noinline]] void use_stack(std::atomic<int>& n) {
  constexpr std::size_t kPage = 4096;
  volatile char room[kBytes];
  for (std::size_t at = kBytes; at > kPage; at -= kPage) room[at - 1] = 1;
  room[0] = static_cast<char>(++n);
}

// Tests may be run where threads have less.
bool threads_have(std::size_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  return limit.rlim_cur >= bytes && limit.rlim_cur != RLIM_INFINITY;
}

TEST(Stacks, MebibytesOfLocals) {
  if (!threads_have(8 * kMebi)) GTEST_SKIP() << "RLIMIT_STACK";
  for (const bool real_threads : {false, true}) {
    const auto result = plumb::explore(
        [](plumb::Program& p) {
          std::atomic<int> n{0};
          use_stack<7 * kMebi>(n);
          for (int i = 0; i < 2; ++i) {
            p.thread([&] {
              use_stack<7 * kMebi>(n);
              std::thread([&] { use_stack<7 * kMebi>(n); }).join();
            });
          }
          p.check([&] { return n == 5; });
        },
        {.preemptions = 0, .real_threads = real_threads});
    EXPECT_TRUE(result.passed()) << result.text();
  }
}

template <std::size_t kStack, std::size_t kUsed>
plumb::Exploration with_attribute(bool real_threads = false) {
  return plumb_tests::explore_and_replay(
      [](plumb::Program& p) {
        p.thread([] {
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          pthread_attr_setstacksize(&attributes, kStack);
          pthread_t thread = 0;
          pthread_create(
              &thread, &attributes,
              [](void*) -> void* {
                std::atomic<int> n{0};
                use_stack<kUsed>(n);
                return nullptr;
              },
              nullptr);
          pthread_join(thread, nullptr);
          pthread_attr_destroy(&attributes);
        });
        p.run();
      },
      {.real_threads = real_threads});
}
TEST(Stacks, AsLargeAsTheAttributeSays) {
  const auto large = with_attribute<64 * kMebi, 60 * kMebi>();
  EXPECT_TRUE(large.passed()) << large.text();
  const auto small = with_attribute<1 * kMebi, 2 * kMebi>();
  EXPECT_EQ(small.kind, plumb::FindingKind::kCrash) << small.text();
  EXPECT_EQ(small.message, "stack overflow: the stack of thread 2 has 1 MiB");
  const auto too_large = with_attribute<2048 * kMebi, 1>();
  EXPECT_EQ(too_large.message, "a thread asks for a larger stack than it can have here");
  const auto fixed = with_attribute<64 * kMebi, 1>(true);
  EXPECT_EQ(fixed.message, "a thread asks for a larger stack than it can have here");
}

}  // namespace
