// How a class uses its guard: the right ways, and the wrong ones, each of which is wrong with
// every object and every guard.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "objects.hpp"

namespace hunt {

template <class Object, class Guard>
class Locked {
 public:
  int change(int v) {
    const std::unique_lock held(guard_);
    return object_.change(v);
  }
  State look() {
    const std::shared_lock held(guard_);
    return object_.look();
  }

 private:
  Guard guard_;
  Object object_;
};

// Two guards, always in the same order.
template <class Object, class Guard>
class LockedTwice {
 public:
  int change(int v) {
    const std::lock_guard first(one_);
    const std::lock_guard second(two_);
    return object_.change(v);
  }
  State look() {
    const std::lock_guard first(one_);
    const std::lock_guard second(two_);
    return object_.look();
  }

 private:
  Guard one_;
  Guard two_;
  Object object_;
};

// Wrong: what is changed and what is looked at meet in the middle. A deadlock.
template <class Object, class Guard>
class OppositeOrders {
 public:
  int change(int v) {
    const std::lock_guard first(one_);
    const std::lock_guard second(two_);
    return object_.change(v);
  }
  State look() {
    const std::lock_guard first(two_);
    const std::lock_guard second(one_);
    return object_.look();
  }

 private:
  Guard one_;
  Guard two_;
  Object object_;
};

// Wrong: a race.
template <class Object, class Guard>
class UnlockedChange {
 public:
  int change(int v) { return object_.change(v); }
  State look() {
    const std::lock_guard held(guard_);
    return object_.look();
  }

 private:
  Guard guard_;
  Object object_;
};

// Wrong: a race.
template <class Object, class Guard>
class UnlockedLook {
 public:
  int change(int v) {
    const std::lock_guard held(guard_);
    return object_.change(v);
  }
  State look() { return object_.look(); }

 private:
  Guard guard_;
  Object object_;
};

// Wrong: a race.
template <class Object, class Guard>
class OtherGuard {
 public:
  int change(int v) {
    const std::lock_guard held(one_);
    return object_.change(v);
  }
  State look() {
    const std::lock_guard held(two_);
    return object_.look();
  }

 private:
  Guard one_;
  Guard two_;
  Object object_;
};

// Wrong: between the two sections another change comes and is lost.
template <class Object, class Guard>
class LostUpdate {
 public:
  int change(int v) {
    Object copy = get();
    const int result = copy.change(v);
    const std::lock_guard held(guard_);
    object_ = copy;
    return result;
  }
  State look() { return get().look(); }

 private:
  Object get() {
    const std::lock_guard held(guard_);
    return object_;
  }
  Guard guard_;
  Object object_;
};

// Wrong: two changes tell of each other.
template <class Object, class Guard>
class LateAnswer {
 public:
  State change(int v) {
    {
      const std::lock_guard held(guard_);
      object_.change(v);
    }
    return look();
  }
  State look() {
    const std::lock_guard held(guard_);
    return object_.look();
  }

 private:
  Guard guard_;
  Object object_;
};

}  // namespace hunt
