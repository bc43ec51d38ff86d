// Values in the binary format. A number stands for a value: 2n+1 for an integer n of up to 31 bits (n modulo
// 2^31), 0, 2 and 4 for null, false and true, and 2k for the k-th value of the history (from 3) that needs
// more than that. Each block brings the values that it uses and that none before it had.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plumb/result.hpp>
#include <plumb/value.hpp>

#include "record/binary_block.hpp"

namespace plumb {

// Values to numbers, with a list of those that are new.
class BinaryValueWriter {
 public:
  explicit BinaryValueWriter(const Values& values) : values_(&values) {}

  std::uint64_t number(Value v) {
    if (v.is_small() || v.bits() < kFirst) return std::rotl(v.bits(), 1);
    if (v.bits() >= known_.size() || known_[v.bits()].id == 0) learn(v);
    return std::uint64_t{2} * known_[v.bits()].id;
  }
  // Puts what is new into a block. Fails if one of the values could not be read again.
  Status flush(BlockWriter& block);

 private:
  static constexpr std::uint32_t kFirst = 3;
  struct Known {
    std::uint32_t id = 0;  // 0: not known yet
    std::uint32_t depth = 0;
  };
  void learn(Value v);
  [[nodiscard]] std::uint32_t depth(Value v) const {
    return v.is_small() || v.bits() < kFirst ? 0 : known_[v.bits()].depth;
  }

  const Values* values_;
  std::vector<Known> known_;  // by handle
  std::uint32_t next_ = kFirst;
  std::optional<std::string> fault_;
  std::vector<std::uint64_t> kinds_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> sizes_;
  std::string text_;
  std::vector<std::uint64_t> items_;
};

// Numbers to values of a table.
class BinaryValueReader {
 public:
  explicit BinaryValueReader(Values& values) : values_(&values) {}

  // Takes in the values that are new in a block.
  Status learn(const BlockView& block);
  // The values of a column, one by one into `out`, which is of its size.
  Status read(const ColumnView& column, std::span<Value> out) const;

 private:
  static constexpr std::uint32_t kFirst = 3;
  struct Known {
    Value value;
    std::uint32_t depth = 0;
    std::uint64_t weight = 0;  // items and bytes of text when written out in full
  };
  struct Contents;
  [[nodiscard]] Result<Known> next(std::uint64_t kind, Contents& contents) const;
  [[nodiscard]] Result<Known> number(ValueKind kind, Contents& contents) const;
  [[nodiscard]] Result<Known> string(Contents& contents) const;
  [[nodiscard]] Result<Known> nested(ValueKind kind, Contents& contents) const;
  [[nodiscard]] Result<Known> item(std::uint64_t number) const;

  Values* values_;
  std::vector<Known> known_;
  bool same_ = true;  // every number is that of the table itself
};

}  // namespace plumb
