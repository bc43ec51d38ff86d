// The history of a document, as all renderers draw it: what was checked, what came out, and everything about
// the operations that a picture of them needs. It knows nothing of colours, columns or tags.
//
// Whatever a history holds is data. Texts that `label`, `returned` and the like give are printable: control
// characters in them are written out. Renderers escape for their own syntax on top of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plumb/explain.hpp>
#include <plumb/report.hpp>

namespace plumb {

class BoundHistory;

// An order in which operations take effect: a linearization, or the longest prefix of one that was found.
struct ReportOrder {
  std::vector<OperationId> operations;
  std::vector<OperationId>
      legal;             // with relaxed classes: the legal history beside it, which the states follow
  bool of_core = false;  // a violation in a history that is too hard to put in order: only its core is
  std::vector<std::uint32_t> slots;  // the event (its position among all) right after which each takes effect
  std::size_t first_state = 0;  // of a long order, only some states are kept: those after this step and on
  std::vector<std::string> states;  // as the model writes them, shortened
};

// How much of a large history a renderer shows: what matters, or everything.
enum class Detail : std::uint8_t { kGlance, kAll };

class HistoryView {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // The model is not needed afterwards.
  [[nodiscard]] static Result<HistoryView> make(std::shared_ptr<const History> history, const Model& model,
                                                std::shared_ptr<const Verdict> verdict,
                                                const ReportSource& source, const CheckOptions& options,
                                                Detail detail = Detail::kAll);

  [[nodiscard]] const History& history() const { return *history_; }
  [[nodiscard]] const Verdict& verdict() const { return *verdict_; }
  [[nodiscard]] const ReportSource& source() const { return source_; }
  // Of a violation: the core, the impossible operation, the sentence.
  [[nodiscard]] const std::optional<Explanation>& explanation() const { return explanation_; }

  // Processes, one lane each: by number, or, where they have names, as they come in the input.
  [[nodiscard]] const std::vector<Value>& processes() const { return processes_; }
  [[nodiscard]] std::uint32_t lane(OperationId i) const { return lane_[i]; }
  // Where its call and its return stand among all events; kNone for a return that never came.
  [[nodiscard]] std::uint32_t call_rank(OperationId i) const { return call_rank_[i]; }
  [[nodiscard]] std::uint32_t return_rank(OperationId i) const { return return_rank_[i]; }
  // Of a violation, only with Detail::kAll.
  [[nodiscard]] const ReportOrder& order() const { return order_; }

  [[nodiscard]] std::string process_name(OperationId i) const;  // "3", "writer"
  [[nodiscard]] std::string arguments(OperationId i) const;     // "1, 2", as JSON
  // What it returned, as JSON; nothing while it is pending, and where there is nothing to return.
  [[nodiscard]] std::optional<std::string> result(OperationId i) const;
  // Only with Detail::kAll.
  [[nodiscard]] std::optional<Value> key(OperationId i) const {
    return key_.empty() ? std::nullopt : key_[i];
  }

  [[nodiscard]] std::string label(OperationId i) const;   // "dequeue()"
  [[nodiscard]] std::string ending(OperationId i) const;  // "→ 3", "never returned" or nothing
  [[nodiscard]] std::string whole(OperationId i) const;   // "dequeue() → 3"
  [[nodiscard]] std::string title() const;                // "run.jsonl, history 3 (name)"
  [[nodiscard]] std::string facts() const;  // "queue, 6 operations, 3 processes, decided by monitor"
  // "state"; where each key or object is judged, and shown, on its own, "state of its key".
  [[nodiscard]] std::string_view state_name() const;
  [[nodiscard]] std::string sentence() const;  // one, whatever the verdict is
  // What the impossible operation could have returned, printable; the last may be "others", the only one
  // "nothing".
  [[nodiscard]] std::vector<std::string> allowed() const;

 private:
  HistoryView(std::shared_ptr<const History> history, std::shared_ptr<const Verdict> verdict,
              ReportSource source)
      : history_(std::move(history)), verdict_(std::move(verdict)), source_(std::move(source)) {}
  void keep_of_model(const BoundHistory& bound, Detail detail);
  void place_operations();
  void place_order(const Model& model, std::vector<OperationId> operations,
                   std::vector<OperationId> legal = {});
  void keep_states(const Model& model, std::size_t most);
  void keep_many_states(const Model& model);
  void place_longest_prefix(const Model& model, const CheckOptions& options);

  std::shared_ptr<const History> history_;
  std::shared_ptr<const Verdict> verdict_;
  ReportSource source_;
  bool is_keyed_ = false;
  std::vector<bool> returns_nothing_;      // by FunctionId
  std::vector<std::optional<Value>> key_;  // none at all where there are none
  std::optional<Explanation> explanation_;
  std::vector<Value> processes_;
  std::vector<std::uint32_t> lane_;
  std::vector<std::uint32_t> call_rank_;
  std::vector<std::uint32_t> return_rank_;
  ReportOrder order_;
};

// What outlives every view of it.
template <class T>
[[nodiscard]] std::shared_ptr<const T> borrowed(const T& lasting) {
  return {std::shared_ptr<void>(), &lasting};
}

}  // namespace plumb
