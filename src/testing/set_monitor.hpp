// Linearizability, judged while results come: the monitor of a search of states (explore/states/monitor.hpp). What it knows is the set of
// all configurations that the calls and returns so far allow, a state of the object in serial runs together with the open operations that
// have taken effect there and what each of them has to return; an empty set is a violation, whatever may follow. Sets are numbered, and what
// a return makes of one is worked out once. Calls that may fail may take effect without a change; for those that may only if contended, the
// monitor also knows which open operations have met another one.
//
// The states of the object are the nodes of the serial tree, equal subtrees being one state: where the same operations are left and will
// return the same in every order, it does not matter how the object came there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "explore/states/monitor.hpp"
#include "testing/coverage.hpp"
#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"
#include "testing/spurious_failures.hpp"

namespace plumb::testing {

class SetMonitor final : public engine::Monitor {
 public:
  // The layout and the failures must live longer; the tree has to be whole. `forbids_waiting`: the class claims to be lock-free.
  // `coverage`: is told of results that come for the first time, unless null.
  SetMonitor(const SerialTree& tree, const Layout& layout, const SpuriousFailures& failures,
             bool forbids_waiting, CoverageCensus* coverage = nullptr);

  State initial() override;
  State returned(State before, std::uint64_t open, std::uint32_t operation, std::uint64_t result) override;
  bool may_stop(State state, std::uint64_t open) override;
  bool forbids_waiting() const override { return forbids_waiting_; }

  [[nodiscard]] std::size_t states() const { return next_.size() / operations_; }  // of the object
  [[nodiscard]] std::size_t sets() const { return sets_.size(); }

 private:
  using Number = std::uint32_t;
  static constexpr Number kNone = SerialTree::kNone;

  // What an operation does in some state.
  struct Next {
    Number state = kNone;  // none: it cannot come next
    std::uint32_t result = 0;
    bool blocks = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a literal 0
    auto operator<=>(const Next&) const = default;
  };
  struct Configuration {
    Number state = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        effects;  // open operations and their results, in order
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Configuration&) const = default;
  };
  struct Set {
    std::vector<Configuration> all;  // in order
    std::uint64_t contended = 0;     // open operations that may fail only then, and have met another one
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Set&) const = default;
  };
  struct Question {
    State before;
    std::uint32_t operation;
    std::uint64_t open;
    std::uint64_t result;
    bool operator==(const Question&) const = default;
  };

  void join_equal_subtrees(const SerialTree& tree);
  [[nodiscard]] const Next& next(Number state, std::size_t operation) const {
    return next_[state * operations_ + operation];
  }
  [[nodiscard]] Set after(const Set& before, std::uint64_t open, std::uint32_t operation,
                          std::uint32_t result) const;
  State number(Set set);
  struct Answer;
  [[nodiscard]] Answer& answer_to(const Question& question);

  // The result of an operation that fails now; nothing: it may not.
  [[nodiscard]] std::optional<std::uint32_t> failing(const Set& before, std::uint64_t open,
                                                     std::uint32_t operation) const;

  const SpuriousFailures& failures_;
  bool forbids_waiting_;
  CoverageCensus* coverage_;
  std::size_t operations_;
  std::vector<Next> next_;
  Number root_ = 0;
  std::map<Set, State> numbers_;
  std::vector<const Set*> sets_;
  // Found by hashing, with room for as many again: the search asks at every return.
  struct Answer {
    Question question{};
    State state = 0;
    bool is_known = false;
  };
  std::vector<Answer> answers_ = std::vector<Answer>(1024);
  std::size_t known_answers_ = 0;
};

}  // namespace plumb::testing
