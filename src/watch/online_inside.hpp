// The values that may be in a watched queue, by value and in the order in which their enqueues returned.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "watch/online.hpp"

namespace plumb {

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

// The values that may be inside; those whose enqueue has returned form a list, by that return.
class Inside {
 public:
  struct Node {
    Value value;
    Moment ic = 0;
    Moment ir = kNotYet;
    WatchedOperation enqueue;
    Value process = kNull;
    std::uint32_t before = kNoNode;
    std::uint32_t after = kNoNode;
  };

  [[nodiscard]] std::size_t returned() const { return returned_; }
  [[nodiscard]] bool empty() const { return by_value_.empty(); }
  [[nodiscard]] std::uint32_t front() const { return front_; }
  [[nodiscard]] const Node& operator[](std::uint32_t i) const { return nodes_[i]; }
  [[nodiscard]] std::uint32_t find(Value value) const {
    const auto it = by_value_.find(value);
    return it == by_value_.end() ? kNoNode : it->second;
  }

  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& [value, i] : by_value_) visit(nodes_[i]);
  }

  bool add(Value value, Moment ic, const WatchedOperation& enqueue, Value process) {
    const auto [it, fresh] = by_value_.try_emplace(value, kNoNode);
    if (!fresh) return false;
    if (free_.empty()) {
      it->second = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      it->second = free_.back();
      free_.pop_back();
    }
    nodes_[it->second] = {value, ic, kNotYet, enqueue, process};
    return true;
  }
  void enqueue_returned(std::uint32_t i, Moment ir, std::uint64_t line) {
    Node& node = nodes_[i];
    node.ir = ir;
    node.enqueue.returned_line = line;
    node.before = back_;
    (back_ == kNoNode ? front_ : nodes_[back_].after) = i;
    back_ = i;
    ++returned_;
  }
  void remove(std::uint32_t i) {
    const Node& node = nodes_[i];
    if (node.ir != kNotYet) {
      (node.before == kNoNode ? front_ : nodes_[node.before].after) = node.after;
      (node.after == kNoNode ? back_ : nodes_[node.after].before) = node.before;
      --returned_;
    }
    by_value_.erase(node.value);
    free_.push_back(i);
  }

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  absl::flat_hash_map<Value, std::uint32_t> by_value_;
  std::uint32_t front_ = kNoNode;
  std::uint32_t back_ = kNoNode;
  std::size_t returned_ = 0;
};

}  // namespace plumb
