#include "explore/graph/locations.hpp"

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

// What has a number already stays one location, whatever part of it raced.
bool Locations::promote(const void* address, std::size_t size) {
  const auto end = reinterpret_cast<std::uintptr_t>(address) + size;
  const std::size_t before = promoted_.size();
  for (auto at = reinterpret_cast<std::uintptr_t>(address); at < end;) {
    const auto is_here = [&](const auto& piece) {
      return at - reinterpret_cast<std::uintptr_t>(piece.address) < piece.size;
    };
    if (std::any_of(promoted_.begin(), promoted_.end(), is_here)) {
      ++at;
      continue;
    }
    const auto known = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& place) { return !place.is_object && is_here(place); });
    Promoted piece{reinterpret_cast<const void*>(at),  // NOLINT(performance-no-int-to-ptr)
                   std::min(end - at, kWord - at % kWord)};
    if (known != places_.end()) piece = {known->address, known->size};
    promoted_.push_back(piece);
    words_.set(at / kWord % kBits);
    at = reinterpret_cast<std::uintptr_t>(piece.address) + piece.size;
  }
  return promoted_.size() > before;
}

}  // namespace plumb::engine::graph
