// A pointer to the next node and, in its lowest bit, whether the node that holds it is removed:
// both change in one step.
#pragma once

#include <cstdint>

namespace sets {

template <class Node>
struct Link {
  std::uintptr_t bits = 0;

  Link() = default;
  explicit Link(Node* node) : bits(reinterpret_cast<std::uintptr_t>(node)) {}
  [[nodiscard]] Node* node() const { return reinterpret_cast<Node*>(bits & ~std::uintptr_t{1}); }
  [[nodiscard]] bool marked() const { return (bits & 1U) != 0; }
  [[nodiscard]] Link with_mark() const {
    Link link = *this;
    link.bits |= 1U;
    return link;
  }
};

}  // namespace sets
