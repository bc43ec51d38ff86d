// A program without instrumentation is told so. And outside an exploration, the engine that is
// linked in is not noticed: threads, locks, condition variables, semaphores, once, keys, clocks and
// memory are the real ones.
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <plumb/explore.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

TEST(NotInstrumented, IsSaid) {
  const auto result = plumb::explore([](plumb::Program& p) {
    std::atomic<int> n{0};
    p.thread([&] { n.fetch_add(1); });
    p.thread([&] { n.fetch_add(1); });
    p.check([&] { return n == 2; });
  });
  EXPECT_EQ(result.verdict, plumb::Outcome::kViolation);
  EXPECT_EQ(result.kind, plumb::FindingKind::kNotInstrumented) << result.text();
  EXPECT_NE(result.message.find("no scheduling points were seen"), std::string::npos);
}

TEST(Outside, ThreadsAndLocksAreReal) {
  std::mutex mutex;
  std::shared_mutex shared;
  std::condition_variable changed;
  sem_t semaphore;
  ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
  std::latch started(4);
  int n = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      started.arrive_and_wait();
      for (int round = 0; round < 1000; ++round) {
        const std::unique_lock writer(shared);
        const std::lock_guard lock(mutex);
        ++n;
      }
      changed.notify_all();
      sem_post(&semaphore);
    });
  }
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return n == 4000; }));
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sem_wait(&semaphore), 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(n, 4000);
  sem_destroy(&semaphore);
}

TEST(Outside, KeysOnceAndFuturesAreReal) {
  static std::atomic<int> destroyed{0};
  pthread_key_t key = 0;
  ASSERT_EQ(pthread_key_create(&key, [](void*) { ++destroyed; }), 0);
  std::once_flag once;
  int runs = 0;
  std::thread([&] {
    pthread_setspecific(key, &key);
    EXPECT_EQ(pthread_getspecific(key), &key);
    std::call_once(once, [&] { ++runs; });
  }).join();
  std::call_once(once, [&] { ++runs; });
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(std::async(std::launch::async, [] { return 42; }).get(), 42);
  pthread_key_delete(key);
}

TEST(Outside, TimeAndMemoryAreReal) {
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2));
  auto block = std::make_unique<char[]>(10'000);
  block[9'999] = 1;
  void* aligned = nullptr;
  ASSERT_EQ(posix_memalign(&aligned, 4096, 100), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0U);
  std::free(aligned);
}

}  // namespace
