#include "explore/states/race_state.hpp"

#include <algorithm>
#include <bit>

#include "runtime/own_copies.hpp"

namespace plumb::engine {

using runtime::copy_bytes;

namespace {

bool releases(std::uint8_t order) { return order >= 3; }

// The bytes of the word that [first, last) covers, one bit each.
std::uint8_t bytes_of(std::uintptr_t word, std::uintptr_t first, std::uintptr_t last) {
  const unsigned from = first > word * 8 ? static_cast<unsigned>(first - word * 8) : 0;
  const unsigned to = last < word * 8 + 8 ? static_cast<unsigned>(last - word * 8) : 8;
  return static_cast<std::uint8_t>(((1U << to) - 1) & ~((1U << from) - 1));
}

// The bits of `to` become what those of `from` are.
void copy_bit(Knowing& of, Knowing to, bool is) { of = static_cast<Knowing>(is ? of | to : of & ~to); }
void add(Knowing& to, unsigned more) { to = static_cast<Knowing>(to | more); }

}  // namespace

void drop_covered(std::vector<Touch>& touches) {
  for (std::size_t i = 0; i < touches.size();) {
    const Touch one = touches[i];
    const auto covers_it = [&](const Touch& other) { return &other != &touches[i] && other.covers(one); };
    if (std::ranges::any_of(touches, covers_it)) {
      touches.erase(touches.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

namespace {

// The same touch, known by different ones.
bool has_repeats(const std::vector<Touch>& touches) {
  for (std::size_t i = 0; i < touches.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (touches[i].is_same(touches[j])) return true;
    }
  }
  return false;
}

}  // namespace

Places RaceState::PlaceNumbers::find(std::uintptr_t address) const {
  for (std::size_t slot = slot_of(address); slots_[slot] != 0; slot = (slot + 1) & (kSlots - 1)) {
    const std::size_t number = slots_[slot] - std::size_t{1};
    if (known_[number] == address) return Places{1} << number;
  }
  return 0;
}

Places RaceState::PlaceNumbers::number(std::uintptr_t address) {
  if (const Places known = find(address); known != 0) return known;
  if (known_.size() == kMostPlaces) {
    overfull_ = true;
    return 0;
  }
  std::size_t slot = slot_of(address);
  while (slots_[slot] != 0) slot = (slot + 1) & (kSlots - 1);
  known_.push_back(address);
  slots_[slot] = static_cast<std::uint8_t>(known_.size());
  return Places{1} << (known_.size() - 1);
}

Places RaceState::PlaceNumbers::within(std::uintptr_t first, std::uintptr_t last) const {
  Places all = 0;
  for (std::size_t number = 0; number < known_.size(); ++number) {
    if (known_[number] / 8 >= first / 8 && known_[number] < last) all |= Places{1} << number;
  }
  return all;
}

void RaceState::begin() {
  touches_.clear();
  may_repeat_ = 0;
  expected_ = {};
}

void RaceState::start(int parent, int child) {
  const Knowing new_one = bit_of(child);
  for (Touch& touch : touches_) {
    copy_bit(touch.known, new_one, (touch.known & bit_of(parent)) != 0);
    copy_bit(touch.seen, new_one, false);
    copy_bit(touch.fenced, new_one, false);
  }
}

void RaceState::join(int thread, int ended) {
  for (Touch& touch : touches_) {
    if ((touch.known & bit_of(ended)) != 0) add(touch.known, bit_of(thread));
  }
}

void RaceState::acquire_at(int thread, std::uintptr_t place) {
  if (touches_.empty()) return;
  const Places there = places_.find(place);
  for (Touch& touch : touches_) {
    if ((touch.released & there) != 0) add(touch.known, bit_of(thread));
  }
}

// Without acquiring.
void RaceState::see_at(int thread, std::uintptr_t place) {
  if (touches_.empty()) return;
  const Places there = places_.find(place);
  for (Touch& touch : touches_) {
    if ((touch.released & there) != 0) add(touch.seen, bit_of(thread));
  }
}

// Beside what was released there before. `all`: that the thread knows of; else what it knew of at its last fence.
void RaceState::release_at(int thread, std::uintptr_t place, bool all) {
  Places there = 0;
  for (Touch& touch : touches_) {
    if (((all ? touch.known : touch.fenced) & bit_of(thread)) == 0) continue;
    if (there == 0) there = places_.number(place);
    touch.released |= there;
  }
}

// In place of that.
void RaceState::store_at(int thread, std::uintptr_t place, bool all) {
  lose(thread, place, place + 1);
  if (touches_.empty()) return;
  const Places there = places_.find(place);
  for (Touch& touch : touches_) touch.released &= ~there;
  release_at(thread, place, all);
}

void RaceState::fence(int thread, std::uint8_t order) {
  const Knowing self = bit_of(thread);
  for (Touch& touch : touches_) {
    if (acquires(order) && (touch.seen & self) != 0) add(touch.known, self);
    if (releases(order)) copy_bit(touch.fenced, self, (touch.known & self) != 0);
  }
}

bool RaceState::add_touch(int thread, std::uintptr_t first, std::uintptr_t last, TouchKind kind) {
  const std::uintptr_t word = first / 8;
  const std::uint8_t bytes = bytes_of(word, first, last);
  const Knowing self = bit_of(thread);
  for (const Touch& known : touches_) {
    if (known.word == word && (known.bytes & bytes) != 0 && (known.known & self) == 0 &&
        conflict(known.kind, kind))
      return true;
  }
  // Whoever knows of this one knows of earlier ones of the same kind.
  const Touch now{
      .word = word, .bytes = bytes, .thread = static_cast<std::uint8_t>(thread), .kind = kind, .known = self};
  const auto is_same = [&](const Touch& known) { return known.is_same(now); };
  const auto earlier = std::ranges::find_if(touches_, is_same);
  if (earlier == touches_.end()) {
    touches_.push_back(now);
    return false;
  }
  *earlier = now;
  if (may_repeat_ != 0) touches_.erase(std::remove_if(earlier + 1, touches_.end(), is_same), touches_.end());
  return false;
}

bool RaceState::access_words(int thread, std::uintptr_t first, std::uintptr_t last, TouchKind kind) {
  for (std::uintptr_t at = first; at < last; at = (at / 8 + 1) * 8) {
    if (words_.touch(thread, at / 8, kind) && add_touch(thread, at, last, kind)) return true;
  }
  return false;
}

// To free memory is to write all of it; from then on whoever touches it is wrong anyway, whatever comes before what.
bool RaceState::free(int thread, const void* address, std::size_t size) {
  const std::uintptr_t first = as_number(address);
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word)
    words_.touch(thread, word, kPlainWrite);
  const bool races = std::ranges::any_of(touches_, [&](const Touch& known) {
    return known.lies_in(first, first + size) && (known.known & bit_of(thread)) == 0;
  });
  if (!races) forget(thread, address, size);
  return races;
}

bool RaceState::atomic(int thread, const runtime::Step& step, bool wrote) {
  const std::uintptr_t first = as_number(step.address);
  const std::uintptr_t last = first + step.size;
  const bool stores = step.kind == runtime::StepKind::kStore;
  for (std::uintptr_t place = first; place < last; place = (place / 8 + 1) * 8) {
    const TouchKind kind = wrote ? kAtomicWrite : kAtomicRead;
    if (words_.touch(thread, place / 8, kind) && add_touch(thread, place, last, kind)) return true;
    if (stores) continue;
    acquires(step.order) ? acquire_at(thread, place) : see_at(thread, place);
  }
  // A read-modify-write continues the release sequence.
  for (std::uintptr_t place = first; place < last && wrote; place = (place / 8 + 1) * 8)
    stores ? store_at(thread, place, releases(step.order)) : release_at(thread, place, releases(step.order));
  return false;
}

// What was released there is there no more: other threads that are taken to have acquired it were not to be.
void RaceState::lose(int thread, std::uintptr_t first, std::uintptr_t last) {
  for (std::size_t other = 0; other < expected_.size(); ++other) {
    const bool lies_there = expected_[other] >= first && expected_[other] < last;
    if (lies_there && other != index(thread)) words_.loses(expected_[other]);
  }
}

void RaceState::forget(int thread, const void* address, std::size_t size) {
  const std::uintptr_t first = as_number(address);
  const std::uintptr_t last = first + size;
  lose(thread, first, last);
  if (touches_.empty()) return;
  std::erase_if(touches_, [&](const Touch& touch) { return touch.lies_in(first, last); });
  const Places gone = places_.within(first, last);
  for (Touch& touch : touches_) touch.released &= ~gone;
}

// Whether the step itself races is judged by what is known before it.
void RaceState::foresee(int thread) {
  const std::uintptr_t at = expected_[index(thread)];
  const Places there = places_.find(at);
  if (there == 0) return;
  bool keeps = false;
  for (Touch& touch : touches_) {
    const bool is_new = (touch.released & there) != 0 && (touch.known & bit_of(thread)) == 0;
    if (!is_new || (touch.word == at / 8 && touch.thread != thread)) continue;
    if (!keeps && !words_.expect_to_keep(at)) return;
    keeps = true;
    add(touch.known, bit_of(thread));
  }
}

void RaceState::tidy(Knowing alive) {
  if (touches_.empty()) return;
  Places released = 0;
  for (const Touch& touch : touches_) released |= touch.released;
  for (unsigned left = released != 0 ? alive : 0U; left != 0; left &= left - 1) {
    const int self = std::countr_zero(left);
    if (expected_[index(self)] != 0) foresee(self);
  }
  std::erase_if(touches_, [&](const Touch& touch) { return (alive & ~touch.known) == 0; });
  if (may_repeat_ == 0) return;
  drop_covered(touches_);
  may_repeat_ = has_repeats(touches_) ? 1 : 0;
}

void RaceState::set_touches(std::span<const Touch> touches) {
  touches_.assign(touches.begin(), touches.end());
  may_repeat_ = 1;
}

std::size_t RaceState::saved_size() const {
  return sizeof(std::uint64_t) + sizeof may_repeat_ + sizeof expected_ + touches_.size() * sizeof(Touch);
}

char* RaceState::save(char* to) const {
  const std::uint64_t count = touches_.size();
  const auto put = [&](const void* from, std::size_t size) { to = copy_bytes(to, from, size); };
  put(&count, sizeof count);
  put(&may_repeat_, sizeof may_repeat_);
  put(&expected_, sizeof expected_);
  put(touches_.data(), count * sizeof(Touch));
  return to;
}

const char* RaceState::restore(const char* from) {
  std::uint64_t count = 0;
  const auto take = [&](void* to, std::size_t size) {
    copy_bytes(to, from, size);
    from += size;
  };
  take(&count, sizeof count);
  take(&may_repeat_, sizeof may_repeat_);
  take(&expected_, sizeof expected_);
  touches_.resize(count);
  take(touches_.data(), count * sizeof(Touch));
  return from;
}

}  // namespace plumb::engine
