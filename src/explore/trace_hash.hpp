// Which executions are the same but for the order of independent steps (Mazurkiewicz traces). Each step is described by
// its thread, what that thread did before, and the steps before it that it does not commute with; a description holds those
// of the steps before it, so it stands for the whole past of the step. The descriptions of all steps, summed up in whatever
// order, are the hash of the trace: 128 bits, so that two traces with the same one need not be feared.
//
// Places are kept a word of eight bytes at a time, and in each word by the bytes that were touched together: accesses of
// different sizes to the same bytes are seen to meet, and two small variables in one word are not mixed up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explore/clock.hpp"
#include "explore/executed_step.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

__extension__ using Hash = unsigned __int128;

Hash mix128(Hash hash, std::uint64_t value);

class TraceHash {
 public:
  void begin();
  // The next step; `writes`: it may change something, as matters are when it is taken.
  void add(int thread, const runtime::Step& step, bool writes);
  void data_choice(int thread,
                   int chosen);  // of the thread's last step, where the program does not decide it
  Hash value() const { return sum_; }
  // What the value would be after such a step.
  Hash value_after(int thread, const runtime::Step& step, bool writes);

  // All that was added since the mark was taken is taken back.
  std::size_t mark() const { return log_.size(); }
  void back_to(std::size_t mark);

 private:
  // Bytes of a word that steps touched together.
  struct Place {
    std::uint8_t bytes = 0;
    std::uint32_t next = 0;  // another place of this word; 0: none
    Hash change = 0;         // the last step that may have changed them
    Hash reads = 0;          // the sum of those that read them since
  };
  struct Word {
    std::uintptr_t number = 0;
    std::uint32_t epoch = 0;
    std::uint32_t first = 0;
  };

  // What stood there before a step: at a place, or of a thread (`place` 0).
  struct Before {
    std::uint32_t place = 0;
    int thread = 0;
    Hash change = 0;  // of a thread: its last step
    Hash reads = 0;   // of a thread: the sum of all
  };

  Hash describe(int thread, const runtime::Step& step, bool writes);
  Word& word(std::uintptr_t number);
  void grow();
  Hash past(std::uint32_t first, std::uint8_t bytes, bool writes) const;
  void leave(Word& home, std::uint8_t bytes, bool writes, Hash step);
  void follow(int thread, Hash step);
  template <class F>
  void each_word(const void* address, unsigned size, F f);

  std::vector<Word> words_ = std::vector<Word>(256);
  std::vector<Place> places_ = std::vector<Place>(1);
  std::size_t used_ = 0;
  std::uint32_t epoch_ = 0;
  std::array<Hash, kMaxThreads> last_{};  // of each thread
  Hash sum_ = 0;
  std::vector<Before> log_;
};

// Which waiter is woken is part of a trace, too, even where all of them are in the end.
Hash trace_hash(const std::vector<ExecutedStep>& steps, const std::vector<DataChoice>& data_choices);

}  // namespace plumb::engine
