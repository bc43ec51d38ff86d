// Splitting a history into parts that can be decided on their own: by object (locality, Herlihy and Wing),
// then by the model's key (P-compositionality, Horn and Kroening, Algorithm 3).
#pragma once

#include <cstdint>
#include <vector>

#include "check/part.hpp"

namespace plumb {

enum class PartitionBy : std::uint8_t { kObject, kObjectAndKey };

class Partition {
 public:
  Partition(const BoundHistory& history, PartitionBy by);
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  // Largest first: the longest work starts first.
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  void split(const BoundHistory& history, const std::vector<std::uint32_t>& part_of, std::size_t count);

  std::vector<std::uint32_t> scratch_;
  std::vector<Event> events_;             // of all parts, one part after the other
  std::vector<std::uint32_t> positions_;  // of these events in the history
  std::vector<Part> parts_;
};

}  // namespace plumb
