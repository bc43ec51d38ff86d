#include "explore/trace_hash.hpp"

namespace plumb::engine {

using runtime::StepKind;

namespace {

constexpr Hash kOdd = Hash{0x9E37'79B9'7F4A'7C15ULL} << 64U | 0xF39C'C060'5CED'C835ULL;
constexpr Hash kOther = Hash{0xBF58'476D'1CE4'E5B9ULL} << 64U | 0x94D0'49BB'1331'11EBULL;

// Every bit of the result depends on every bit.
Hash scramble(Hash z) {
  z = (z ^ (z >> 61U)) * kOther;
  z = (z ^ (z >> 67U)) * kOdd;
  return z ^ (z >> 63U);
}

// The bytes of the word that [first, last) covers, one bit each.
std::uint8_t bytes_of(std::uintptr_t word, std::uintptr_t first, std::uintptr_t last) {
  const auto from = first > word * 8 ? first - word * 8 : 0;
  const auto to = last < word * 8 + 8 ? last - word * 8 : 8;
  return static_cast<std::uint8_t>(((1U << to) - 1) & ~((1U << from) - 1));
}

}  // namespace

Hash mix128(Hash hash, std::uint64_t value) { return scramble(hash + value * kOdd); }

void TraceHash::begin() {
  ++epoch_;
  used_ = 0;
  places_.resize(1);
  last_.fill(0);
  sum_ = 0;
  log_.clear();
}

// Places that are new since then stay, and hold nothing.
void TraceHash::back_to(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const Before& before = log_.back();
    if (before.place != 0) {
      places_[before.place].change = before.change;
      places_[before.place].reads = before.reads;
    } else {
      last_[static_cast<std::size_t>(before.thread)] = before.change;
      sum_ = before.reads;
    }
  }
}

TraceHash::Word& TraceHash::word(std::uintptr_t number) {
  std::size_t at = number * 0x9E37'79B9'7F4A'7C15ULL >> 32U;
  for (;; ++at) {
    Word& found = words_[at & (words_.size() - 1)];
    if (found.epoch == epoch_ && found.number == number) return found;
    if (found.epoch == epoch_) continue;
    if (++used_ * 2 > words_.size()) {
      grow();
      return word(number);
    }
    found = {.number = number, .epoch = epoch_, .first = 0};
    return found;
  }
}

void TraceHash::grow() {
  std::vector<Word> old(words_.size() * 2);
  old.swap(words_);
  used_ = 0;
  for (const Word& from : old) {
    if (from.epoch == epoch_) word(from.number).first = from.first;
  }
}

// The steps at those bytes that do not commute with such a one. What they are hashes already, so their sum needs no more mixing;
// nor do their roles have to be told apart, since each step is either one that changes something or one that does not.
inline Hash TraceHash::past(std::uint32_t first, std::uint8_t bytes, bool writes) const {
  Hash sum = 0;
  for (std::uint32_t i = first; i != 0; i = places_[i].next) {
    const Place& place = places_[i];
    if ((place.bytes & bytes) == 0) continue;
    sum += place.change;
    if (writes) sum += place.reads;
  }
  return sum;
}

inline void TraceHash::leave(Word& home, std::uint8_t bytes, bool writes, Hash step) {
  std::uint32_t i = home.first;
  while (i != 0 && places_[i].bytes != bytes) i = places_[i].next;
  if (i == 0) {
    i = static_cast<std::uint32_t>(places_.size());
    places_.push_back({.bytes = bytes, .next = home.first});
    home.first = i;
  }
  Place& place = places_[i];
  log_.push_back({.place = i, .change = place.change, .reads = place.reads});
  if (writes) {
    place.change = step;  // it stands for the reads before it, too
    place.reads = 0;
  } else {
    place.reads += step;
  }
}

// Calls f(word, bytes) for each word that a step touches at an address, if that is one.
template <class F>
inline void TraceHash::each_word(const void* address, unsigned size, F f) {
  if (address == nullptr) return;
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const auto last = first + (size == 0 ? 1 : size);
  for (auto number = first / 8; number * 8 < last; ++number) f(word(number), bytes_of(number, first, last));
}

// A step is known by its thread, what it does and where, and by the steps that came before it: the last one of its thread, and
// those that it does not commute with.
inline Hash TraceHash::describe(int thread, const runtime::Step& step, bool writes) {
  Hash before = last_[static_cast<std::size_t>(thread)];
  each_word(step.address, step.size,
            [&](const Word& at, std::uint8_t bytes) { before += past(at.first, bytes, writes); });
  each_word(step.also, step.size,
            [&](const Word& at, std::uint8_t bytes) { before += past(at.first, bytes, writes) * 7; });
  const auto what = static_cast<std::uint64_t>(thread) << 8U | static_cast<std::uint64_t>(step.kind);
  return scramble(before + (reinterpret_cast<std::uint64_t>(step.address) ^ (what + 1) << 48U) * kOdd);
}

Hash TraceHash::value_after(int thread, const runtime::Step& step, bool writes) {
  return sum_ + describe(thread, step, writes);
}

void TraceHash::add(int thread, const runtime::Step& step, bool writes) {
  const Hash self = describe(thread, step, writes);
  each_word(step.address, step.size, [&](Word& at, std::uint8_t bytes) { leave(at, bytes, writes, self); });
  each_word(step.also, step.size, [&](Word& at, std::uint8_t bytes) { leave(at, bytes, writes, self); });
  follow(thread, self);
}

// The thread's last step, or what stands for it, is this one.
inline void TraceHash::follow(int thread, Hash step) {
  Hash& last = last_[static_cast<std::size_t>(thread)];
  log_.push_back({.thread = thread, .change = last, .reads = sum_});
  last = step;
  sum_ += step;
}

Hash trace_hash(const std::vector<ExecutedStep>& steps, const std::vector<DataChoice>& data_choices) {
  TraceHash hash;
  hash.begin();
  auto choice = data_choices.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ExecutedStep& executed = steps[i];
    for (; choice != data_choices.end() && choice->step == i; ++choice)
      hash.data_choice(executed.thread, choice->chosen);
    const runtime::Step& step = executed.step;
    // As the scheduler sees it: whether a compare-exchange of more than eight bytes would fail is not looked up beforehand.
    const bool looked_up = step.kind == StepKind::kCompareExchange && step.size <= sizeof(step.operand);
    hash.add(executed.thread, step, looked_up ? executed.wrote : step.writes);
  }
  return hash.value();
}

void TraceHash::data_choice(int thread, int chosen) {
  follow(thread, mix128(last_[static_cast<std::size_t>(thread)], static_cast<std::uint64_t>(chosen) + 1));
}

}  // namespace plumb::engine
