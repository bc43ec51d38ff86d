// What one execution of a scenario did: calls and returns in order, and results. Lives outside the execution's memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/test_case.hpp"
#include "plumb/history.hpp"
#include "testing/scenario.hpp"

namespace plumb::testing {

class ObservedHistory {
 public:
  explicit ObservedHistory(const Layout& layout);

  void clear();
  void call(std::size_t operation);
  void ret(std::size_t operation, Value result);

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] bool called(std::size_t operation) const { return (called_ >> operation & 1U) != 0; }
  [[nodiscard]] bool returned(std::size_t operation) const { return (returned_ >> operation & 1U) != 0; }
  [[nodiscard]] std::uint64_t called() const { return called_; }
  [[nodiscard]] std::uint64_t returned() const { return returned_; }
  [[nodiscard]] Value result(std::size_t operation) const { return results_[operation]; }
  // The operations that had returned when this one was called, as bits.
  [[nodiscard]] std::uint64_t before(std::size_t operation) const { return before_[operation]; }

  // Equal for histories that do not differ in what linearizability looks at: results, and which return stands before
  // which call.
  void append_key(std::string& key) const;

  // As a history for the checkers; a pending operation keeps none of its result.
  [[nodiscard]] History history(const TestCase& test, const Layout& layout) const;

 private:
  std::vector<Event> events_;
  std::vector<Value> results_;
  std::vector<std::uint64_t> before_;
  std::uint64_t called_ = 0;
  std::uint64_t returned_ = 0;
};

}  // namespace plumb::testing
