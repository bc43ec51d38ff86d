#include "explore/states/race_sets.hpp"

#include <emmintrin.h>

#include <plumb/detail/mix.hpp>

#include "explore/states/aes_blocks.hpp"

namespace plumb::engine {

StateKey RaceSets::key_of(std::span<const Touch> touches) {
  __m128i sum = _mm_setzero_si128();
  for (const Touch& touch : touches) sum = _mm_add_epi64(sum, hash_of_blocks<sizeof touch / 16>(&touch));
  StateKey key;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&key), sum);
  return key;
}

void RaceSets::grow() {
  std::vector<Entry> old(numbers_.size() * 4);
  old.swap(numbers_);
  for (const Entry& each : old) {
    if (each.number_and_one != 0) find(each.low, each.high) = each;
  }
}

RaceSets::Number RaceSets::number(std::span<const Touch> touches) {
  if (touches.empty() && !sets_.empty()) return kEmpty;
  const StateKey key = key_of(touches);
  const auto high = static_cast<std::uint32_t>(key.high);
  const Number known = find(key.low, high).number_and_one;
  return known != 0 ? known - 1 : add(touches, key.low, high);
}

RaceSets::Number RaceSets::add(std::span<const Touch> touches, std::uint64_t low, std::uint32_t high) {
  sets_.emplace_back(touches.begin(), touches.end());
  find(low, high) = {low, high, static_cast<Number>(sets_.size())};
  if (sets_.size() * 2 > numbers_.size()) grow();
  return static_cast<Number>(sets_.size() - 1);
}

RaceSets::Number RaceSets::both(Number a, Number b) {
  if (a == b || b == kEmpty) return a;
  if (a == kEmpty) return b;
  Answer& answer = answers_[detail::mix(a, b) % kAnswers];
  if (answer.a != a || answer.b != b) answer = {a, b, work_out(a, b)};
  return answer.both;
}

RaceSets::Number RaceSets::work_out(Number a, Number b) {
  std::vector<Touch> all = of(a);
  all.insert(all.end(), of(b).begin(), of(b).end());
  drop_covered(all);
  return number(all);
}

}  // namespace plumb::engine
