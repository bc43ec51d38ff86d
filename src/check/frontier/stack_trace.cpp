// The order that a search of stacks has found, from its end to its beginning.
//
// Forth, all stacks of a frontier go together. Back, there is one: any of the last frontier's. Each set of
// stacks is the union of those that moves brought there, so one of the moves brought this one.
#include <algorithm>

#include "check/frontier/stack_search.hpp"

namespace plumb {

using Kind = StackOp::Kind;
using Move = StackStage::Move;

std::vector<std::uint32_t> StackSearch::trace() {
  std::vector<std::uint32_t> back;
  std::uint64_t taken = frontiers_.front().taken;
  TracedWord word(words_, static_cast<std::size_t>(window_.height(taken)));
  word.is_in(frontiers_.front().words);
  auto ret = static_cast<std::size_t>(std::ranges::count_if(
      std::span(events_).first(at_), [](const StackEvent& event) { return event.returns; }));
  while (at_ > 0 && !gauge_.spent()) {
    const auto [position, op, returns] = events_[at_ - 1];
    go_to(at_ - 1);
    if (!returns) continue;
    taken |= window_.bit(op);
    trace_return(before(--ret), op, word, taken, back);
  }
  std::ranges::reverse(back);
  return back;
}

void StackSearch::trace_return(std::span<const StackFrontier> before, std::uint32_t op, TracedWord& word,
                               std::uint64_t& taken, std::vector<std::uint32_t>& back) {
  stage_.run_noting(before, op, floors_[at_], most_anythings_);
  std::uint32_t here = stage_.entry(taken);
  StackStage::Phase phase = StackStage::kPopping;
  while (!gauge_.spent()) {
    StackStage::Phase came_from = StackStage::kPopping;
    const auto move = std::ranges::find_if(stage_.moves(), [&](const Move& m) {
      return m.to == here && m.phase == phase && came_by(before, m, word, came_from);
    });
    if (move == stage_.moves().end()) return gauge_.spend(StopReason::kInternalError);
    const bool is_step = move->kind == Move::kStep;
    taken = is_step ? stage_.entries()[move->from].taken : before[move->from].taken;
    for (std::uint64_t left = stage_.entries()[here].taken & ~taken & window_.nothings(); left != 0;
         left &= left - 1)
      back.push_back(window_.at(left & -left));
    if (move->kind == Move::kPair) back.push_back(op);
    if (move->kind != Move::kBegin) back.push_back(move->op);
    if (!is_step) return;
    here = move->from;
    phase = came_from;
  }
}

// If so, the word is from now on what it was before, and the phase is the one it was in.
bool StackSearch::came_by(std::span<const StackFrontier> before, const Move& move, TracedWord& word,
                          StackStage::Phase& phase) const {
  if (move.kind != Move::kStep) return word.is_in(before[move.from].words);
  const StackOp& op = ops_[move.op];
  const auto& words = stage_.entries()[move.from].words;
  phase = StackStage::kPopping;
  if (op.kind == Kind::kPop) return word.is_in_with(words[phase], op.value);
  if (op.kind == Kind::kPopAnything) {
    return std::ranges::any_of(words_.branches(words[phase]), [&](const WordSets::Branch& branch) {
      return word.is_in_with(words[StackStage::kPopping], branch.letter);
    });
  }
  for (const StackStage::Phase from : StackStage::kPhases) {
    phase = from;
    if (word.is_in_without(words[from], op.value)) return true;
  }
  return false;
}

}  // namespace plumb
