// Values that a file brings are checked as those of every other format: text is UTF-8, numbers are finite,
// nothing nests too deeply or is larger, written out, than a JSON document may be.
#include "formats/binary_values.hpp"

#include <cmath>

#include <fmt/format.h>

#include "history/text.hpp"

namespace plumb {
namespace {

constexpr std::uint64_t kMaxWeight = std::uint64_t{1} << 28U;

Error damaged(std::string_view what) { return Error{fmt::format("a value {}", what)}; }

std::vector<std::uint64_t> numbers_of(const ColumnView& column) {
  std::vector<std::uint64_t> numbers(column.size());
  column.each([&](std::size_t i, std::uint64_t number) { numbers[i] = number; });
  return numbers;
}

class Sequence {
 public:
  explicit Sequence(const ColumnView& column) : numbers_(numbers_of(column)) {}
  std::optional<std::uint64_t> next() {
    if (at_end()) return std::nullopt;
    return numbers_[at_++];
  }
  [[nodiscard]] bool at_end() const { return at_ == numbers_.size(); }

 private:
  std::vector<std::uint64_t> numbers_;
  std::size_t at_ = 0;
};

}  // namespace

// What is left of a block's values.
struct BinaryValueReader::Contents {
  Sequence numbers;
  Sequence sizes;
  std::string_view text;
  std::span<const std::uint64_t> items;

  [[nodiscard]] bool at_end() const {
    return numbers.at_end() && sizes.at_end() && text.empty() && items.empty();
  }
};

void BinaryValueWriter::learn(Value v) {
  const ValueKind kind = values_->kind(v);
  std::vector<std::uint64_t> items;
  std::uint32_t depth_inside = 0;
  const bool is_nested = kind == ValueKind::kArray || kind == ValueKind::kObject;
  if (is_nested) {
    for (const Value item : values_->as_array(v)) {
      items.push_back(number(item));
      depth_inside = std::max(depth_inside, depth(item));
    }
    sizes_.push_back(items.size());
    items_.insert(items_.end(), items.begin(), items.end());
    if (depth_inside >= kMaxDepth) fault_ = fmt::format("a value is nested more than {} deep", kMaxDepth);
  } else if (kind == ValueKind::kString) {
    sizes_.push_back(values_->as_string(v).size());
    text_ += values_->as_string(v);
  } else if (kind == ValueKind::kReal) {
    if (!std::isfinite(values_->as_real(v))) fault_ = "a number that is not finite";
    numbers_.push_back(std::bit_cast<std::uint64_t>(values_->as_real(v)));
  } else {
    numbers_.push_back(static_cast<std::uint64_t>(values_->as_integer(v)));
  }
  kinds_.push_back(static_cast<std::uint64_t>(kind));
  if (v.bits() >= known_.size()) known_.resize(std::max<std::size_t>(v.bits() + 1, 2 * known_.size()));
  known_[v.bits()] = {next_++, is_nested ? depth_inside + 1 : 0};
}

Status BinaryValueWriter::flush(BlockWriter& block) {
  if (fault_) return Error{fmt::format("{}; the format binary cannot hold it", *fault_)};
  block.add(ColumnId::kValueKinds, kinds_, 1);
  block.add(ColumnId::kValueNumbers, numbers_, 1);
  block.add(ColumnId::kValueSizes, sizes_, 1);
  block.add_text(ColumnId::kValueText, text_);
  block.add(ColumnId::kValueItems, items_, 1);
  kinds_.clear();
  numbers_.clear();
  sizes_.clear();
  text_.clear();
  items_.clear();
  return Ok{};
}

Result<BinaryValueReader::Known> BinaryValueReader::item(std::uint64_t number) const {
  const std::uint64_t id = number / 2;
  if (number > 0xFFFF'FFFFU) return damaged("is of no known number");
  if (number % 2 != 0 || id < kFirst)
    return Known{Value::from_bits(std::rotr(static_cast<std::uint32_t>(number), 1)), 0, 1};
  if (id - kFirst >= known_.size()) return damaged("holds one that is not known before it");
  return known_[id - kFirst];
}

Result<BinaryValueReader::Known> BinaryValueReader::nested(ValueKind kind, Contents& contents) const {
  const auto size = contents.sizes.next();
  if (!size || *size > contents.items.size()) return damaged("has no items");
  Known made{kNull, 1, 1};
  std::vector<Value> items;
  for (const std::uint64_t number : contents.items.first(*size)) {
    auto known = item(number);
    if (!known) return known.error();
    items.push_back(known->value);
    made.depth = std::max(made.depth, known->depth + 1);
    made.weight += known->weight;
    if (made.depth > kMaxDepth) return damaged(fmt::format("is nested more than {} deep", kMaxDepth));
    if (made.weight > kMaxWeight) return damaged("is too large");
  }
  contents.items = contents.items.subspan(*size);
  if (kind == ValueKind::kArray) {
    made.value = values_->array(items);
    return made;
  }
  if (items.size() % 2 != 0) return damaged("has a name without a member");
  std::vector<Member> members;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (values_->kind(items[i]) != ValueKind::kString) return damaged("has a member without a name");
    members.emplace_back(items[i], items[i + 1]);
  }
  made.value = values_->object(members);
  if (values_->as_object(made.value).size() != items.size()) return damaged("has a name twice");
  return made;
}

Result<BinaryValueReader::Known> BinaryValueReader::number(ValueKind kind, Contents& contents) const {
  const auto bits = contents.numbers.next();
  if (!bits) return damaged("has no number");
  if (kind == ValueKind::kInteger) return Known{values_->integer(static_cast<std::int64_t>(*bits)), 0, 1};
  const auto real = std::bit_cast<double>(*bits);
  if (!std::isfinite(real)) return damaged("is not a finite number");
  return Known{values_->real(real), 0, 1};
}

Result<BinaryValueReader::Known> BinaryValueReader::string(Contents& contents) const {
  const auto size = contents.sizes.next();
  if (!size || *size > contents.text.size()) return damaged("has no text");
  const std::string_view text = contents.text.substr(0, *size);
  if (first_invalid_utf8(text)) return damaged("is not UTF-8");
  contents.text.remove_prefix(*size);
  return Known{values_->string(text), 0, 1 + *size};
}

Result<BinaryValueReader::Known> BinaryValueReader::next(std::uint64_t kind, Contents& contents) const {
  switch (static_cast<ValueKind>(kind)) {
    case ValueKind::kInteger:
    case ValueKind::kReal:
      return number(static_cast<ValueKind>(kind), contents);
    case ValueKind::kString:
      return string(contents);
    case ValueKind::kArray:
    case ValueKind::kObject:
      return nested(static_cast<ValueKind>(kind), contents);
    default:
      return damaged("is of no known kind");
  }
}

Status BinaryValueReader::learn(const BlockView& block) {
  const ColumnView& kinds = block[ColumnId::kValueKinds];
  const ColumnView& text = block[ColumnId::kValueText];
  if (!text.is_text()) return damaged("has no text");
  const std::vector<std::uint64_t> items = numbers_of(block[ColumnId::kValueItems]);
  Contents contents{Sequence(block[ColumnId::kValueNumbers]), Sequence(block[ColumnId::kValueSizes]),
                    text.text(), items};
  known_.reserve(known_.size() + kinds.size());
  for (const std::uint64_t kind : numbers_of(kinds)) {
    auto made = kind < 256 ? next(kind, contents) : damaged("is of no known kind");
    if (!made) return made.error();
    same_ = same_ && made->value.bits() == kFirst + known_.size();
    known_.push_back(*made);
  }
  if (!contents.at_end()) return damaged("has more than it needs");
  return Ok{};
}

Status BinaryValueReader::read(const ColumnView& column, std::span<Value> out) const {
  std::uint32_t most = 0;  // of all that are no small integers
  column.each([&](std::size_t i, std::uint64_t number) {
    const auto bits = std::rotr(static_cast<std::uint32_t>(number), 1);
    out[i] = Value::from_bits(bits);
    most = std::max(most, static_cast<std::int32_t>(bits) < 0 ? 0U : bits);
  });
  if (most < kFirst) return Ok{};
  if (most - kFirst >= known_.size()) return damaged("is used that no block before has");
  if (same_) return Ok{};
  for (Value& v : out) {
    if (!v.is_small() && v.bits() >= kFirst) v = known_[v.bits() - kFirst].value;
  }
  return Ok{};
}

}  // namespace plumb
