// A box for one value: put() fills it, take() waits until it is full. Each primitive with which
// one thread can tell another of a change, and for each the ways to get it wrong: all of them
// deadlocks that no serial run has.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>

namespace hunt {

enum class Telling { kRight, kNever, kTooEarly };

// What is told, and how. kTooEarly tells before there is anything to tell, in a critical section of its own.
template <class Signal, Telling kTelling>
class Box {
 public:
  void put(int v) {
    if (kTelling == Telling::kTooEarly) signal_.tell();
    signal_.enter();
    count_ += v;
    signal_.leave();
    if (kTelling == Telling::kRight) signal_.tell();
  }
  int take() {
    signal_.enter();
    while (count_ == 0) signal_.wait();
    const int taken = count_;
    count_ = 0;
    signal_.leave();
    return taken;
  }

 private:
  Signal signal_;
  int count_ = 0;
};

template <class Condition>
struct Conditional {
  std::mutex mutex;
  Condition changed;
  void enter() { mutex.lock(); }
  void leave() { mutex.unlock(); }
  void wait() {
    std::unique_lock held(mutex, std::adopt_lock);
    changed.wait(held);
    held.release();
  }
  void tell() { changed.notify_all(); }
};
using ConditionSignal = Conditional<std::condition_variable>;
using ConditionAnySignal = Conditional<std::condition_variable_any>;

struct PosixSignal {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  void enter() { pthread_mutex_lock(&mutex); }
  void leave() { pthread_mutex_unlock(&mutex); }
  void wait() { pthread_cond_wait(&changed, &mutex); }
  void tell() { pthread_cond_broadcast(&changed); }
};

struct SignalOfC {
  mtx_t mutex{};
  cnd_t changed{};
  SignalOfC() {
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
  }
  ~SignalOfC() {
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
  }
  void enter() { mtx_lock(&mutex); }
  void leave() { mtx_unlock(&mutex); }
  void wait() { cnd_wait(&changed, &mutex); }
  void tell() { cnd_broadcast(&changed); }
};

// Waits at a number that every change raises.
struct AtomicSignal {
  std::mutex mutex;
  std::atomic<int> changes{0};
  void enter() { mutex.lock(); }
  void leave() { mutex.unlock(); }
  void wait() {
    const int seen = changes.load();
    mutex.unlock();
    changes.wait(seen);
    mutex.lock();
  }
  void tell() {
    changes.fetch_add(1);
    changes.notify_all();
  }
};

// Counts who waits and lets each of them go on.
struct SemaphoreSignal {
  std::mutex mutex;
  std::atomic<int> waiting{0};
  std::counting_semaphore<8> gate{0};
  void enter() { mutex.lock(); }
  void leave() { mutex.unlock(); }
  void wait() {
    waiting.fetch_add(1);
    mutex.unlock();
    gate.acquire();
    mutex.lock();
  }
  void tell() {
    const int all = waiting.exchange(0);
    if (all != 0) gate.release(all);
  }
};

struct PosixSemaphoreSignal {
  std::mutex mutex;
  std::atomic<int> waiting{0};
  sem_t gate{};
  PosixSemaphoreSignal() { sem_init(&gate, 0, 0); }
  ~PosixSemaphoreSignal() { sem_destroy(&gate); }
  void enter() { mutex.lock(); }
  void leave() { mutex.unlock(); }
  void wait() {
    waiting.fetch_add(1);
    mutex.unlock();
    sem_wait(&gate);
    mutex.lock();
  }
  void tell() {
    for (int all = waiting.exchange(0); all > 0; --all) sem_post(&gate);
  }
};

}  // namespace hunt
