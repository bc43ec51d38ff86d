// Which threads touch a word of memory, and how, in all executions of a search so far: what decides whether a touch can matter to anybody
// else. A search learns that as it goes; when it has learnt something, what was not kept before may have mattered, and it begins anew.
#pragma once

#include <array>
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
  bool touch(int thread, std::uintptr_t word, TouchKind kind);

  // What was released at an address is taken for granted by those that will acquire it next; false: it may be lost before.
  bool expect_to_keep(std::uintptr_t address);
  void loses(std::uintptr_t address);

  // Whether something was learnt since this was last asked.
  bool has_learnt() { return std::exchange(learnt_, false); }
  void learn() { learnt_ = true; }

 private:
  struct Word {
    std::uintptr_t word = 0;
    std::array<std::uint8_t, 4> by{};  // threads, a bit each, by kind of touch
    bool is_expected_to_keep = false;
    bool loses = false;
  };
  static bool matters(const Word& word, int thread, std::uint8_t kind);
  Word& of(std::uintptr_t word);
  void learn(int thread, Word& known, TouchKind kind);

  std::vector<Word> words_ = std::vector<Word>(256);  // found by hashing
  std::size_t known_ = 0;
  bool learnt_ = false;
};

}  // namespace plumb::engine
