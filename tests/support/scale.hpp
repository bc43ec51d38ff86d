// How much the long tests do: PLUMB_TEST_SCALE, 1 unless set. Below 1 (sanitizers) they take a fixed sample,
// above 1 (soak) they do more. And which random histories they take: the same each time, unless
// PLUMB_TEST_SEED is set (soak).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace plumb::test {

inline double test_scale() {
  const char* text = std::getenv("PLUMB_TEST_SCALE");  // NOLINT(concurrency-mt-unsafe)
  const double scale = text == nullptr ? 1.0 : std::atof(text);
  return scale > 0 ? scale : 1.0;
}

// `count` scaled, at least 1.
inline std::size_t scaled(std::size_t count) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) * test_scale()));
}

// 0 unless the soak asks for others.
inline std::uint64_t soak_seed() {
  const char* text = std::getenv("PLUMB_TEST_SEED");  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

// So many seeds for a loop of a test. The soak is told how many there were.
class Seeds {
 public:
  explicit Seeds(std::size_t count) : first_(soak_seed() * 10'000'000), count_(count), tried_(count) {}
  ~Seeds() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    if (soak_seed() != 0) std::printf("tried %s.%s %zu\n", test->test_suite_name(), test->name(), tried_);
  }
  // Where more than one thing is tried with a seed: how many there were in all.
  void tried(std::size_t in_all) { tried_ = in_all; }
  Seeds(const Seeds&) = delete;
  Seeds& operator=(const Seeds&) = delete;

  struct Iterator {
    std::uint64_t seed;
    std::uint64_t operator*() const { return seed; }
    Iterator& operator++() { return ++seed, *this; }
    friend bool operator==(const Iterator&, const Iterator&) = default;
  };
  [[nodiscard]] Iterator begin() const { return {first_}; }
  [[nodiscard]] Iterator end() const { return {first_ + count_}; }

 private:
  std::uint64_t first_;
  std::uint64_t count_;
  std::size_t tried_;
};

// Whether the item with this number is in the sample that holds this share of all; the same on every run.
inline bool in_sample(std::uint64_t number, double share) {
  return share >= 1.0 || Rng(number).chance(share);
}

}  // namespace plumb::test
