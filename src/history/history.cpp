// Reading a history: descriptions for messages, and what it weighs.
#include <plumb/history.hpp>

#include <fmt/format.h>

namespace plumb {

std::string History::describe(OperationId i) const {
  std::string out = fmt::format("process {}: {}(", values().to_json(process(i)), function_name(i));
  for (std::size_t k = 0; k < args(i).size(); ++k) {
    if (k != 0) out += ", ";
    values().append_json(args(i)[k], out);
  }
  out += ")";
  if (is_pending(i)) return out + " -> (pending)";
  return has_result(i) ? out + " -> " + values().to_json(result(i)) : out;
}

Columns History::columns(std::size_t begin, std::size_t end) const {
  const std::size_t size = end - begin;
  const std::size_t first = begin == this->size() ? arguments_.size() : first_argument_[begin];
  const std::size_t last = end == this->size() ? arguments_.size() : first_argument_[end];
  const auto part = [&](const auto& column) { return std::span(column).subspan(begin, size); };
  return {.process = part(process_),
          .head = part(head_),
          .arguments = std::span(arguments_).subspan(first, last - first),
          .result = part(result_),
          .call = part(call_),
          .ret = part(ret_),
          .object = object_.empty() ? std::span<const Value>() : part(object_)};
}

std::size_t History::memory() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(process_) + bytes(head_) + bytes(first_argument_) + bytes(arguments_) + bytes(result_) +
         bytes(call_) + bytes(ret_) + bytes(place_) + bytes(object_) + bytes(events_) + values_->memory();
}

}  // namespace plumb
