// A dictionary in two parts with a lock each. What is about all keys takes both locks.
//
// The fault: count() takes one lock after the other, and adds what was there at different times.
#include <array>
#include <map>
#include <mutex>
#include <optional>

#include <plumb/plumb.hpp>

template <bool kLocksBoth>
class Dictionary {
 public:
  bool try_add(int key) {
    return locked(key, [&](Map& map) { return map.try_emplace(key, key).second; });
  }
  bool try_remove(int key) {
    return locked(key, [&](Map& map) { return map.erase(key) == 1; });
  }
  std::optional<int> try_get(int key) {
    return locked(key, [&](Map& map) {
      const auto found = map.find(key);
      return found == map.end() ? std::nullopt : std::optional(found->second);
    });
  }
  int get(int key) {  // throws
    return locked(key, [&](Map& map) { return map.at(key); });
  }
  void set(int key) {
    locked(key, [&](Map& map) { map[key] = key + 1; });
  }
  // One more, if it is there.
  bool try_update(int key) {
    return locked(key, [&](Map& map) {
      const auto found = map.find(key);
      if (found == map.end()) return false;
      ++found->second;
      return true;
    });
  }

  std::size_t count() {
    if constexpr (kLocksBoth) {
      const std::scoped_lock lock(parts_[0].mutex, parts_[1].mutex);
      return parts_[0].map.size() + parts_[1].map.size();
    } else {
      std::size_t sum = 0;
      for (Part& part : parts_) {
        const std::lock_guard lock(part.mutex);
        sum += part.map.size();
      }
      return sum;
    }
  }

  void clear() {
    const std::scoped_lock lock(parts_[0].mutex, parts_[1].mutex);
    for (Part& part : parts_) part.map.clear();
  }

 private:
  using Map = std::map<int, int>;
  struct Part {
    std::mutex mutex;
    Map map;
  };

  template <class F>
  auto locked(int key, F act) {
    Part& part = parts_[static_cast<std::size_t>(key / 10) % parts_.size()];
    const std::lock_guard lock(part.mutex);
    return act(part.map);
  }

  std::array<Part, 2> parts_;
};

using CorrectDictionary = Dictionary<true>;
PLUMB_TEST(CorrectDictionary, test) {
  const auto keys = plumb::values(10, 20);
  test.operation("try_add", &CorrectDictionary::try_add, keys);
  test.operation("try_remove", &CorrectDictionary::try_remove, keys);
  test.operation("try_get", &CorrectDictionary::try_get, keys);
  test.operation("get", &CorrectDictionary::get, keys);
  test.operation("set", &CorrectDictionary::set, keys);
  test.operation("try_update", &CorrectDictionary::try_update, keys);
  test.operation("count", &CorrectDictionary::count);
  test.operation("clear", &CorrectDictionary::clear);
}

// Fewer operations make the scenarios that matter likelier: both keys must change while somebody counts.
using CountsInPartsDictionary = Dictionary<false>;
PLUMB_TEST(CountsInPartsDictionary, test) {
  test.operation("try_add", &CountsInPartsDictionary::try_add, plumb::values(10, 20));
  test.operation("try_remove", &CountsInPartsDictionary::try_remove, plumb::values(10, 20));
  test.operation("count", &CountsInPartsDictionary::count);
}
