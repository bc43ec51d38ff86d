// Every primitive that can keep others out, as a guard: lock() and unlock(), and lock_shared() and
// unlock_shared() for those who only read. All of them are right.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

namespace hunt {

using namespace std::chrono_literals;

// For those that do not tell readers from writers.
template <class G>
struct Exclusive {
  void lock_shared() { static_cast<G*>(this)->lock(); }
  void unlock_shared() { static_cast<G*>(this)->unlock(); }
};

template <class M>
struct Standard : Exclusive<Standard<M>> {
  M mutex;
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
};
using Mutex = Standard<std::mutex>;
using TimedMutex = Standard<std::timed_mutex>;

template <class M>
struct Again : Exclusive<Again<M>> {  // taken twice by its holder
  M mutex;
  void lock() {
    mutex.lock();
    mutex.lock();
  }
  void unlock() {
    mutex.unlock();
    mutex.unlock();
  }
};
using Recursive = Again<std::recursive_mutex>;
using RecursiveTimed = Again<std::recursive_timed_mutex>;

template <class M>
struct Shared {
  M mutex;
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
  void lock_shared() { mutex.lock_shared(); }
  void unlock_shared() { mutex.unlock_shared(); }
};
using SharedMutex = Shared<std::shared_mutex>;
using SharedTimed = Shared<std::shared_timed_mutex>;

struct TryAgain : Exclusive<TryAgain> {
  std::timed_mutex mutex;
  void lock() {
    while (!mutex.try_lock_for(5ms)) {
    }
  }
  void unlock() { mutex.unlock(); }
};

struct TrySpin : Exclusive<TrySpin> {
  std::mutex mutex;
  void lock() {
    while (!mutex.try_lock()) std::this_thread::yield();
  }
  void unlock() { mutex.unlock(); }
};

struct Flag : Exclusive<Flag> {
  std::atomic_flag taken;
  void lock() {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { taken.clear(std::memory_order_release); }
};

struct FlagThatWaits : Exclusive<FlagThatWaits> {
  std::atomic_flag taken;
  void lock() {
    while (taken.test_and_set()) taken.wait(true);
  }
  void unlock() {
    taken.clear();
    taken.notify_one();
  }
};

struct Swapped : Exclusive<Swapped> {
  std::atomic<bool> taken{false};
  void lock() {
    while (taken.exchange(true)) {
      while (taken.load()) std::this_thread::yield();
    }
  }
  void unlock() { taken.store(false); }
};

struct Compared : Exclusive<Compared> {
  int taken = 0;
  void lock() {
    const std::atomic_ref<int> word(taken);
    for (int free = 0; !word.compare_exchange_weak(free, 1); free = 0) {
    }
  }
  void unlock() { std::atomic_ref<int>(taken).store(0); }
};

struct Ticket : Exclusive<Ticket> {
  std::atomic<unsigned> next{0};
  std::atomic<unsigned> served{0};
  void lock() {
    const unsigned mine = next.fetch_add(1);
    while (served.load() != mine) {
    }
  }
  void unlock() { served.store(served.load() + 1); }
};

struct TicketThatWaits : Exclusive<TicketThatWaits> {
  std::atomic<int> next{0};
  std::atomic<int> served{0};
  void lock() {
    const int mine = next.fetch_add(1);
    for (int now = served.load(); now != mine; now = served.load()) served.wait(now);
  }
  void unlock() {
    served.fetch_add(1);
    served.notify_all();
  }
};

struct Semaphore : Exclusive<Semaphore> {
  std::binary_semaphore free{1};
  void lock() { free.acquire(); }
  void unlock() { free.release(); }
};

struct SemaphoreInTime : Exclusive<SemaphoreInTime> {
  std::counting_semaphore<3> free{1};
  void lock() {
    while (!free.try_acquire_for(1ms)) {
    }
  }
  void unlock() { free.release(); }
};

template <class Condition>
struct Monitor : Exclusive<Monitor<Condition>> {
  std::mutex mutex;
  Condition changed;
  bool busy = false;
  void lock() {
    std::unique_lock held(mutex);
    changed.wait(held, [this] { return !busy; });
    busy = true;
  }
  void unlock() {
    {
      const std::lock_guard held(mutex);
      busy = false;
    }
    changed.notify_one();
  }
};
using Condition = Monitor<std::condition_variable>;
using ConditionAny = Monitor<std::condition_variable_any>;

struct ConditionInTime : Exclusive<ConditionInTime> {
  std::mutex mutex;
  std::condition_variable changed;
  bool busy = false;
  void lock() {
    std::unique_lock held(mutex);
    while (!changed.wait_for(held, 5ms, [this] { return !busy; })) {
    }
    busy = true;
  }
  void unlock() {
    const std::lock_guard held(mutex);
    busy = false;
    changed.notify_all();
  }
};

struct Posix : Exclusive<Posix> {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  void lock() { pthread_mutex_lock(&mutex); }
  void unlock() { pthread_mutex_unlock(&mutex); }
};

struct PosixSpin : Exclusive<PosixSpin> {
  pthread_spinlock_t spin{};
  PosixSpin() { pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE); }
  ~PosixSpin() { pthread_spin_destroy(&spin); }
  void lock() { pthread_spin_lock(&spin); }
  void unlock() { pthread_spin_unlock(&spin); }
};

struct PosixShared {
  pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
  void lock() { pthread_rwlock_wrlock(&both); }
  void unlock() { pthread_rwlock_unlock(&both); }
  void lock_shared() { pthread_rwlock_rdlock(&both); }
  void unlock_shared() { pthread_rwlock_unlock(&both); }
};

struct PosixSemaphore : Exclusive<PosixSemaphore> {
  sem_t free{};
  PosixSemaphore() { sem_init(&free, 0, 1); }
  ~PosixSemaphore() { sem_destroy(&free); }
  void lock() { sem_wait(&free); }
  void unlock() { sem_post(&free); }
};

struct OfC : Exclusive<OfC> {
  mtx_t mutex{};
  OfC() { mtx_init(&mutex, mtx_plain); }
  ~OfC() { mtx_destroy(&mutex); }
  void lock() { mtx_lock(&mutex); }
  void unlock() { mtx_unlock(&mutex); }
};

struct ConditionOfC : Exclusive<ConditionOfC> {
  mtx_t mutex{};
  cnd_t changed{};
  bool busy = false;
  ConditionOfC() {
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
  }
  ~ConditionOfC() {
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
  }
  void lock() {
    mtx_lock(&mutex);
    while (busy) cnd_wait(&changed, &mutex);
    busy = true;
    mtx_unlock(&mutex);
  }
  void unlock() {
    mtx_lock(&mutex);
    busy = false;
    mtx_unlock(&mutex);
    cnd_signal(&changed);
  }
};

}  // namespace hunt
