// Sequential objects for classes that are made from templates. Each has the same two operations, so that
// every discipline of disciplines.hpp fits every object: change(v) changes it and says something of the
// state, look() tells the whole state. change(0) takes something away where the object can do that.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hunt {

using State = std::vector<int>;

struct Counter {
  int n = 0;
  int change(int v) { return n += v + 1; }
  [[nodiscard]] State look() const { return {n}; }
};

struct Queue {
  std::deque<int> items;
  int change(int v) {
    if (v != 0) return items.push_back(v), static_cast<int>(items.size());
    if (items.empty()) return -1;
    const int first = items.front();
    items.pop_front();
    return first;
  }
  [[nodiscard]] State look() const { return {items.begin(), items.end()}; }
};

struct Stack {
  std::vector<int> items;
  int change(int v) {
    if (v != 0) return items.push_back(v), static_cast<int>(items.size());
    if (items.empty()) return -1;
    const int last = items.back();
    items.pop_back();
    return last;
  }
  [[nodiscard]] State look() const { return items; }
};

struct Dictionary {
  std::map<int, int> entries;
  int change(int v) { return v == 0 ? static_cast<int>(entries.erase(1)) : ++entries[v]; }
  [[nodiscard]] State look() const {
    State all;
    for (const auto& [key, value] : entries) all.insert(all.end(), {key, value});
    return all;
  }
};

struct Distinct {
  std::set<int> values;
  int change(int v) {
    return v == 0 ? static_cast<int>(values.erase(1)) : static_cast<int>(values.insert(v).second);
  }
  [[nodiscard]] State look() const { return {values.begin(), values.end()}; }
};

struct Text {
  std::string text;
  int change(int v) {
    text += static_cast<char>('a' + v);
    return static_cast<int>(text.size());
  }
  [[nodiscard]] State look() const { return {text.begin(), text.end()}; }
};

// Copies and fills, which compilers write out or leave to the C library as they like.
struct Block {
  std::array<int, 3> cells{};
  int change(int v) {
    std::array<int, 3> next{};
    std::fill(next.begin(), next.end(), cells[0] + v + 1);
    std::copy(next.begin(), next.end(), cells.begin());
    return cells[2];
  }
  [[nodiscard]] State look() const {
    State copy(3);
    std::copy(cells.begin(), cells.end(), copy.begin());
    return copy;
  }
};

struct Record {
  struct Fields {
    int first = 0;
    long second = 0;
    int third = 0;
  };
  Fields fields;
  int change(int v) {
    const Fields next{fields.first + v + 1, fields.second + 1, v};
    fields = next;
    return fields.first;
  }
  [[nodiscard]] State look() const {
    const Fields copy = fields;
    return {copy.first, static_cast<int>(copy.second), copy.third};
  }
};

}  // namespace hunt
