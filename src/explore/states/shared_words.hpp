// Which threads touch a word of memory, and how, in all executions of a search so far: what decides whether a touch can matter to anybody
// else. A search learns that as it goes; when it has learnt something, what was not kept before may have mattered, and it begins anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumb::engine {

enum TouchKind : std::uint8_t { kPlainRead, kPlainWrite, kAtomicRead, kAtomicWrite };

// Of touches by different threads: in whatever order they come, one of them matters to the other, and nothing orders them by itself.
constexpr bool conflict(std::uint8_t a, std::uint8_t b) {
  const bool writes = a % 2 == 1 || b % 2 == 1;
  const bool plain = a < kAtomicRead || b < kAtomicRead;
  return writes && plain;
}

class SharedWords {
 public:
  // A thread touches the word (its address / 8). True: another one has a touch that conflicts, in some execution.
  bool touch(int thread, std::uintptr_t word, TouchKind kind) {
    Word& known = of(word);
    if ((known.by >> (kind * 8U) & bit_of(thread)) == 0) learn(thread, known, kind);
    return matters(known, thread, kind);
  }

  // What was released at an address is taken for granted by those that will acquire it next; false: it may be lost before.
  bool expect_to_keep(std::uintptr_t address);
  void loses(std::uintptr_t address);

  // Whether something was learnt since this was last asked.
  bool has_learnt() { return std::exchange(learnt_, false); }
  void learn() { learnt_ = true; }

 private:
  struct Word {
    std::uintptr_t word = 0;
    std::uint32_t by = 0;  // threads, a bit each; a byte for each kind of touch, the first lowest
    bool is_expected_to_keep = false;
    bool loses = false;
  };

  static std::uint32_t bit_of(int thread) { return 1U << static_cast<unsigned>(thread); }
  // The bytes of `by` that conflict with a kind.
  static constexpr std::uint32_t conflicts_of(std::uint8_t kind) {
    std::uint32_t bytes = 0;
    for (std::uint8_t other = 0; other < 4; ++other) {
      if (conflict(kind, other)) bytes |= 0xFFU << other * 8U;
    }
    return bytes;
  }
  static bool matters(const Word& word, int thread, std::uint8_t kind) {
    constexpr std::uint32_t kEachKind = 0x0101'0101U;
    static constexpr std::uint32_t kConflicts[] = {conflicts_of(0), conflicts_of(1), conflicts_of(2),
                                                   conflicts_of(3)};
    return (word.by & kConflicts[kind] & ~(kEachKind * bit_of(thread))) != 0;
  }
  Word& of(std::uintptr_t word) {
    Word& found = find(word);
    return found.word != 0 ? found : add(word);
  }
  Word& find(std::uintptr_t word) {
    std::size_t at = word * 0x9E37'79B9'7F4A'7C15ULL >> 32U;
    while (words_[at & (words_.size() - 1)].word != 0 && words_[at & (words_.size() - 1)].word != word) ++at;
    return words_[at & (words_.size() - 1)];
  }
  Word& add(std::uintptr_t word);
  void learn(int thread, Word& known, TouchKind kind);

  std::vector<Word> words_ = std::vector<Word>(256);  // found by hashing
  std::size_t known_ = 0;
  bool learnt_ = false;
};

}  // namespace plumb::engine
