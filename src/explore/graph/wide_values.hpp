// Values of atomics. One of up to eight bytes is a number; a wider one stands for its bytes by a number of its own, the same for the same
// bytes as long as the search lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "explore/graph/event.hpp"

namespace plumb::engine::graph {

class WideValues {
 public:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);

  // The value of the bytes, and the other way round.
  std::uint64_t value(const void* bytes, std::size_t size);
  void write(std::uint64_t value, void* bytes, std::size_t size) const {
    switch (size) {
      case sizeof(std::uint64_t):
        *static_cast<volatile std::uint64_t*>(bytes) = value;
        break;
      case sizeof(std::uint32_t):
        *static_cast<volatile std::uint32_t*>(bytes) = static_cast<std::uint32_t>(value);
        break;
      default:
        write_bytes(value, bytes, size);
    }
  }

  // What a read-modify-write that read `before` leaves.
  std::uint64_t updated(const Event& update, std::uint64_t before);

 private:
  void write_bytes(std::uint64_t value, void* bytes, std::size_t size) const;
  std::uint64_t updated_wide(const Event& update, std::uint64_t before);

  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<std::string> bytes_;
};

}  // namespace plumb::engine::graph
