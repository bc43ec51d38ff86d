#include "explore/states/shared_words.hpp"

#include <bit>

namespace plumb::engine {

SharedWords::Word& SharedWords::add(std::uintptr_t word) {
  if (++known_ * 2 > words_.size()) {
    std::vector<Word> old(words_.size() * 2);
    old.swap(words_);
    for (const Word& each : old) {
      if (each.word != 0) find(each.word) = each;
    }
  }
  Word& added = find(word);
  added.word = word;
  return added;
}

// If a touch that did not matter does now, something was left out before.
void SharedWords::learn(int thread, Word& known, TouchKind kind) {
  const Word before = known;
  known.by |= bit_of(thread) << (kind * 8U);
  for (unsigned left = before.by; left != 0; left &= left - 1) {
    const int touch = std::countr_zero(left);
    const int owner = touch % 8;
    const auto other = static_cast<std::uint8_t>(touch / 8);
    learnt_ |= matters(known, owner, other) && !matters(before, owner, other);
  }
}

bool SharedWords::expect_to_keep(std::uintptr_t address) {
  Word& known = of(address / 8);
  if (known.loses) return false;
  known.is_expected_to_keep = true;
  return true;
}

void SharedWords::loses(std::uintptr_t address) {
  Word& known = of(address / 8);
  learnt_ |= known.is_expected_to_keep && !known.loses;
  known.loses = true;
}

}  // namespace plumb::engine
