// What walks at random have met: how many histories, how many of them once only, and which operations overlapped. What they have not met
// cannot be counted, but its share can be estimated: the next walk meets a new history about as often as walks so far met one that no
// other has (Good 1953, after Turing).
#pragma once

#include <cstdint>
#include <set>

#include <absl/container/flat_hash_map.h>

#include "testing/observed_history.hpp"
#include "testing/reorderings.hpp"
#include "testing/shape.hpp"

namespace plumb::testing {

class WalkCensus {
 public:
  WalkCensus(const TestCase& test, const Layout& layout) : test_(test), layout_(layout) {}

  // `key`: equal for equal histories.
  void note(const Hash128& key, const ObservedHistory& observed) {
    const auto [met, is_new] = met_.try_emplace(key, false);
    if (is_new) {
      ++once_;
      note_overlaps(observed);
    } else if (!met->second) {
      met->second = true;
      --once_;
    }
  }

  [[nodiscard]] std::size_t histories() const { return met_.size(); }
  [[nodiscard]] std::size_t met_once() const { return once_; }
  [[nodiscard]] const std::set<OperationPair>& overlapped() const { return overlapped_; }

 private:
  // Two overlap unless one had returned when the other was called.
  void note_overlaps(const ObservedHistory& observed) {
    for (std::size_t a = 0; a < layout_.size(); ++a) {
      for (std::size_t b = a + 1; b < layout_.size(); ++b) {
        if (!observed.called(a) || !observed.called(b) || layout_.process(a) == layout_.process(b)) continue;
        if ((observed.before(a) >> b & 1U) == 0 && (observed.before(b) >> a & 1U) == 0)
          overlapped_.insert(std::minmax(operation(a), operation(b)));
      }
    }
  }
  [[nodiscard]] std::uint16_t operation(std::size_t call) const {
    return static_cast<std::uint16_t>(test_.invocations()[layout_.invocation(call)].operation);
  }

  const TestCase& test_;
  const Layout& layout_;
  absl::flat_hash_map<Hash128, bool, HashOfKey> met_;  // by its key: more than once
  std::size_t once_ = 0;
  std::set<OperationPair> overlapped_;
};

}  // namespace plumb::testing
