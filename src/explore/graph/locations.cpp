#include "explore/graph/locations.hpp"

namespace plumb::engine::graph {

std::uint16_t Locations::find_or_add(const void* address, std::size_t size, bool is_object) {
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
  places_.push_back({const_cast<void*>(address), size, phase_, is_object});
  for (std::uintptr_t word = first / kWord; word * kWord < first + size; ++word) {
    by_word_[word].push_back(number);
    words_.set(word % kBits);
  }
  return number;
}

}  // namespace plumb::engine::graph
