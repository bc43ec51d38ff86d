#include "explore/states/shared_words.hpp"

#include <bit>

namespace plumb::engine {

SharedWords::Word& SharedWords::of(std::uintptr_t word) {
  const auto find = [&]() -> Word& {
    std::size_t at = word * 0x9E37'79B9'7F4A'7C15ULL >> 32U;
    while (words_[at & (words_.size() - 1)].word != 0 && words_[at & (words_.size() - 1)].word != word) ++at;
    return words_[at & (words_.size() - 1)];
  };
  Word& found = find();
  if (found.word != 0) return found;
  if (++known_ * 2 <= words_.size()) {
    found.word = word;
    return found;
  }
  std::vector<Word> old(words_.size() * 2);
  old.swap(words_);
  known_ = 0;
  for (const Word& each : old) {
    if (each.word != 0) of(each.word) = each;
  }
  return of(word);
}

bool SharedWords::matters(const Word& word, int thread, std::uint8_t kind) {
  unsigned others = 0;
  for (std::size_t other = 0; other < word.by.size(); ++other) {
    if (conflict(kind, static_cast<std::uint8_t>(other))) others |= word.by[other];
  }
  return (others & ~(1U << static_cast<unsigned>(thread))) != 0;
}

bool SharedWords::touch(int thread, std::uintptr_t word, TouchKind kind) {
  Word& known = of(word);
  if ((known.by[kind] >> static_cast<unsigned>(thread) & 1U) == 0) learn(thread, known, kind);
  return matters(known, thread, kind);
}

// If a touch that did not matter does now, something was left out before.
void SharedWords::learn(int thread, Word& known, TouchKind kind) {
  const Word before = known;
  known.by[kind] = static_cast<std::uint8_t>(known.by[kind] | 1U << static_cast<unsigned>(thread));
  for (std::size_t other = 0; other < before.by.size(); ++other) {
    const auto other_kind = static_cast<std::uint8_t>(other);
    for (unsigned left = before.by[other]; left != 0; left &= left - 1) {
      const int owner = std::countr_zero(left);
      learnt_ |= matters(known, owner, other_kind) && !matters(before, owner, other_kind);
    }
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
