// Increments that are one step, or under a lock.
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;

TEST(Counter, OneStepEach) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        for (int i = 0; i < 3; ++i) p.thread([&] { n.fetch_add(1); });
        p.check([&] { return n == 3; });
      },
      6, 6);
}

TEST(Counter, DifferentObjectsCommute) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<int> a{0};
        std::atomic<int> b{0};
        p.thread([&] {
          a.fetch_add(1);
          a.fetch_add(1);
        });
        p.thread([&] {
          b.fetch_add(1);
          b.fetch_add(1);
        });
        p.check([&] { return a == 2 && b == 2; });
      },
      1, 6);
}

TEST(Counter, ReadersCommute) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<int> a{0};
        for (int i = 0; i < 3; ++i) p.thread([&] { a.load(); });
        p.thread([&] { a.store(1); });
        p.check([&] { return a == 1; });
      },
      8, 24);
}

TEST(Counter, UnderAMutex) {
  expect_pass(
      [](plumb::Program& p) {
        std::mutex mutex;
        int n = 0;
        for (int i = 0; i < 3; ++i) {
          p.thread([&] {
            const std::lock_guard lock(mutex);
            ++n;
          });
        }
        p.check([&] { return n == 3; });
      },
      6, 6);
}

TEST(Counter, UnderASharedMutex) {
  expect_pass(
      [](plumb::Program& p) {
        std::shared_mutex mutex;
        int n = 0;
        p.thread([&] {
          const std::lock_guard lock(mutex);
          ++n;
        });
        p.thread([&] {
          const std::shared_lock lock(mutex);
          p.require(n <= 1, "n is at most one");
        });
        p.thread([&] {
          const std::shared_lock lock(mutex);
          p.require(n <= 1, "n is at most one");
        });
        p.check([&] { return n == 1; });
      },
      4, 14);  // each reader before or after the writer
}

TEST(Counter, StaticsBeginAnew) {
  expect_pass(
      [](plumb::Program& p) {
        static std::atomic<int> n{0};
        thread_local int mine = 5;
        p.thread([&] { n.fetch_add(++mine); });
        p.thread([&] { n.fetch_add(++mine); });
        p.check([&] { return n == 12 && mine == 5; });
      },
      2, 2);
}

}  // namespace
