#include "explore/graph/locations.hpp"

#include <iterator>

namespace plumb::engine::graph {

std::uint16_t Locations::find_or_add_object(const void* address) {
  auto& numbers = objects_[reinterpret_cast<std::uintptr_t>(address)];
  for (const std::uint16_t number : numbers) {
    if (is_of_this_phase(number)) return number;
  }
  if (places_.size() == kMost) return kNoLocation;
  numbers.push_back(static_cast<std::uint16_t>(places_.size()));
  places_.push_back({const_cast<void*>(address), 1, phase_, true});
  return numbers.back();
}

std::uint16_t Locations::look_up_or_add(const void* address, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  std::uint16_t found = kNoLocation;
  bool overlaps = false;
  for_each_touching(address, size, [&](std::uint16_t number) {
    if (places_[number].address == address && places_[number].size == size) {
      found = number;
    } else {
      overlaps = true;
    }
  });
  if (found != kNoLocation || overlaps || places_.size() == kMost) return overlaps ? kNoLocation : found;
  const auto number = static_cast<std::uint16_t>(places_.size());
  places_.push_back({const_cast<void*>(address), size, phase_, false});
  for (std::uintptr_t word = first / kWord; word * kWord < first + size; ++word) {
    by_word_[word].push_back(number);
    words_.set(word % kBits);
  }
  return number;
}

namespace {

std::uintptr_t begin_of(const auto& piece) { return reinterpret_cast<std::uintptr_t>(piece.address); }
std::uintptr_t end_of(const auto& piece) { return begin_of(piece) + piece.size; }
const void* pointer(std::uintptr_t at) {
  return reinterpret_cast<const void*>(at);  // NOLINT(performance-no-int-to-ptr)
}

struct Bytes {
  const void* address;
  std::size_t size;
};
bool holds(const auto& piece, std::uintptr_t at) { return at - begin_of(piece) < piece.size; }
bool touch(const auto& one, const auto& other) {
  return begin_of(one) < end_of(other) && begin_of(other) < end_of(one);
}

}  // namespace

bool Locations::promote(const void* address, std::size_t size) {
  const std::size_t before = promoted_.size();
  const Bytes bytes{address, size};
  for (auto at = begin_of(bytes); at < end_of(bytes);) {
    const auto found = std::find_if(promoted_.begin(), promoted_.end(),
                                    [&](const Promoted& piece) { return holds(piece, at); });
    if (found == promoted_.end()) {
      promoted_.push_back(piece_at(at, end_of(bytes)));
      words_.set(at / kWord % kBits);
      at = end_of(promoted_.back());
    } else {
      at = end_of(*found);
    }
  }
  return promoted_.size() > before;
}

// What has a number already stays one location, whatever part of it raced. Else the piece ends where its word does, or another begins.
Locations::Promoted Locations::piece_at(std::uintptr_t at, std::uintptr_t end) const {
  std::uintptr_t stop = std::min(end, (at / kWord + 1) * kWord);
  const auto stop_before = [&](const auto& piece) {
    if (at < begin_of(piece)) stop = std::min(stop, begin_of(piece));
  };
  for (const Promoted& piece : promoted_) stop_before(piece);
  for (const Place& place : places_) {
    if (place.is_object || place.phase == kNoPhase) continue;
    const bool is_free = std::none_of(promoted_.begin(), promoted_.end(),
                                      [&](const Promoted& piece) { return touch(piece, place); });
    if (holds(place, at) && is_free) return {place.address, place.size, true};
    stop_before(place);
  }
  return {pointer(at), stop - at};
}

bool Locations::fit_write(const void* address, std::size_t size) {
  const Bytes bytes{address, size};
  const bool begins_within = cut(begin_of(bytes));
  const bool ends_within = cut(end_of(bytes));
  return begins_within || ends_within;
}

// Where two that are accessed atomically overlap they stay what they are, and the access is refused.
bool Locations::fit_atomic(const void* address, std::size_t size) {
  const Bytes bytes{address, size};
  const auto is_other = [&](const Promoted& piece) {
    return touch(piece, bytes) && (piece.address != address || piece.size != size);
  };
  bool any = false;
  for (Promoted& piece : promoted_) {
    if (!touch(piece, bytes)) continue;
    if (!is_other(piece)) piece.is_atomic = true;
    if (piece.is_atomic) return false;
    any = true;
  }
  if (!any) return false;
  cut(begin_of(bytes));
  cut(end_of(bytes));
  for (const Promoted& piece : promoted_) {
    if (touch(piece, bytes)) forget(piece);
  }
  std::erase_if(promoted_, [&](const Promoted& piece) { return touch(piece, bytes); });
  promoted_.push_back({address, size, true});
  return true;
}

// The piece around the place becomes two.
bool Locations::cut(std::uintptr_t at) {
  const auto found = std::find_if(promoted_.begin(), promoted_.end(), [&](const Promoted& piece) {
    return !piece.is_atomic && begin_of(piece) < at && at < end_of(piece);
  });
  if (found == promoted_.end()) return false;
  forget(*found);
  const Promoted rest{pointer(at), end_of(*found) - at};
  found->size -= rest.size;
  promoted_.insert(std::next(found), rest);
  return true;
}

// The search begins anew: nobody asks for its number any more.
void Locations::forget(const Promoted& piece) {
  for (Place& place : places_) {
    if (!place.is_object && touch(place, piece)) place.phase = kNoPhase;
  }
  recent_ = {};
}

}  // namespace plumb::engine::graph
