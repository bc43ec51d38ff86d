// Linearizability, judged while results come: the monitor of a search of states (explore/states/monitor.hpp). What it knows is the set of
// all configurations that the calls and returns so far allow, a state of the object in serial runs together with the open operations that
// have taken effect there and what each of them has to return; an empty set is a violation, whatever may follow. Sets are numbered, and what
// a return makes of one is worked out once.
//
// The states of the object are the nodes of the serial tree, equal subtrees being one state: where the same operations are left and will
// return the same in every order, it does not matter how the object came there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explore/states/monitor.hpp"
#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

class SetMonitor final : public engine::Monitor {
 public:
  // The layout must live longer. `forbids_waiting`: the class claims to be lock-free.
  SetMonitor(const SerialTree& tree, const Layout& layout, bool forbids_waiting);

  State initial() override;
  State returned(State before, std::uint64_t open, std::uint32_t operation, std::uint64_t result) override;
  bool may_stop(State state, std::uint64_t open) override;
  bool forbids_waiting() const override { return forbids_waiting_; }

  [[nodiscard]] std::size_t states() const { return next_.size() / processes_; }  // of the object
  [[nodiscard]] std::size_t sets() const { return sets_.size(); }

 private:
  using Number = std::uint32_t;
  static constexpr Number kNone = SerialTree::kNone;

  // What the next operation of a process does in some state.
  struct Next {
    Number state = kNone;  // none: the process has no more operations
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
  using Set = std::vector<Configuration>;  // in order
  struct Question {
    State before;
    std::uint32_t operation;
    std::uint64_t open;
    std::uint64_t result;
    bool operator==(const Question&) const = default;
  };
  struct QuestionHash {
    std::size_t operator()(const Question& question) const;
  };

  void join_equal_subtrees(const SerialTree& tree);
  [[nodiscard]] const Next& next(Number state, std::size_t process) const {
    return next_[state * processes_ + process];
  }
  [[nodiscard]] Set after(const Set& before, std::uint64_t open, std::uint32_t operation,
                          std::uint32_t result) const;
  State number(Set set);

  const Layout& layout_;
  bool forbids_waiting_;
  std::size_t processes_;
  std::vector<Next> next_;
  Number root_ = 0;
  std::map<Set, State> numbers_;
  std::vector<const Set*> sets_;
  std::unordered_map<Question, State, QuestionHash> answers_;
};

}  // namespace plumb::testing
