// Calls that may fail without a cause (Registered::may_fail): they return a result that no serial run has there, and have changed
// nothing. A witness of a history may leave such calls out. Those that may fail only if contended may be left out if another
// operation overlaps: with more order there are fewer of them, so histories with the most order are the hardest to find a witness for here, too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/detail/test_case.hpp"
#include "testing/observed_history.hpp"
#include "testing/scenario.hpp"

namespace plumb::testing {

// Operations that returned that they failed, as bits: these may be left out of a witness.
struct MayBeLeftOut {
  std::uint64_t always = 0;
  std::uint64_t if_contended = 0;
};

class SpuriousFailures {
 public:
  SpuriousFailures(const TestCase& test, const Layout& layout);

  [[nodiscard]] bool any() const { return all_ != 0; }
  [[nodiscard]] std::uint64_t all() const { return all_; }  // operations that may fail, as bits
  [[nodiscard]] bool only_contended(std::size_t operation) const {
    return (contended_ >> operation & 1U) != 0;
  }
  // Nothing: it may not fail.
  [[nodiscard]] std::optional<Value> result(std::size_t operation) const { return results_[operation]; }

  [[nodiscard]] MayBeLeftOut of(const ObservedHistory& observed) const;
  // Those that may be left out of the history as it was run, and those that would have to be contended for that and are not.
  [[nodiscard]] std::uint64_t permitted(const ObservedHistory& observed) const;
  [[nodiscard]] std::uint64_t uncontended(const ObservedHistory& observed) const;
  // Operations that overlap another one.
  [[nodiscard]] static std::uint64_t contended(const ObservedHistory& observed);

 private:
  std::vector<std::optional<Value>> results_;
  std::uint64_t all_ = 0;
  std::uint64_t contended_ = 0;
};

}  // namespace plumb::testing
