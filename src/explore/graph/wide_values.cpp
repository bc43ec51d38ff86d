#include "explore/graph/wide_values.hpp"

#include <cstring>

namespace plumb::engine::graph {
namespace {

__extension__ using Wide = unsigned __int128;

template <class T>
T apply(Update update, T before, T operand) {
  switch (update) {
    case Update::kAdd:
      return before + operand;
    case Update::kSub:
      return before - operand;
    case Update::kAnd:
      return before & operand;
    case Update::kOr:
      return before | operand;
    case Update::kXor:
      return before ^ operand;
    case Update::kNand:
      return ~(before & operand);
    case Update::kExchange:
    case Update::kCompareExchange:
    case Update::kPart:
      break;
  }
  return operand;
}

}  // namespace

std::uint64_t WideValues::value(const void* bytes, std::size_t size) {
  if (size <= kWord) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value;
  }
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(static_cast<const char*>(bytes), size), bytes_.size());
  if (is_new) bytes_.push_back(found->first);
  return found->second;
}

void WideValues::write_bytes(std::uint64_t value, void* bytes, std::size_t size) const {
  if (size <= kWord) {
    std::memcpy(bytes, &value, size);
  } else {
    std::memcpy(bytes, bytes_[value].data(), size);
  }
}

std::uint64_t WideValues::updated(const Event& update, std::uint64_t before) {
  if (update.size > kWord) return updated_wide(update, before);
  if (update.update == Update::kPart) return (before & ~update.expected) | (update.operand & update.expected);
  const std::uint64_t after = apply(update.update, before, update.operand);
  return update.size == kWord ? after : after & ((std::uint64_t{1} << (8U * update.size)) - 1);
}

// Only sixteen bytes have arithmetic.
std::uint64_t WideValues::updated_wide(const Event& update, std::uint64_t before) {
  if (update.update == Update::kExchange || update.update == Update::kCompareExchange) return update.operand;
  Wide old = 0;
  Wide operand = 0;
  write(before, &old, sizeof old);
  write(update.operand, &operand, sizeof operand);
  const Wide after = apply(update.update, old, operand);
  return value(&after, sizeof after);
}

}  // namespace plumb::engine::graph
