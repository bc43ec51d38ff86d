#include "formats/csv_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/csv_rows.hpp"
#include "history/number.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

// A text that reads back as itself, and nothing that a person could not see.
bool is_plain(std::string_view text) {
  if (text.empty() || trim(text) != text ||
      std::string_view("\"[{").find(text.front()) != std::string_view::npos)
    return false;
  if (text == "null" || text == "true" || text == "false") return false;
  const Number::Kind kind = parse_number(text).kind;
  const bool is_number = kind != Number::Kind::kNone && kind != Number::Kind::kLeadingZeros;
  return !is_number && std::ranges::all_of(text, [](char c) { return c < 0 || (c >= ' ' && c != 0x7F); });
}

}  // namespace

Result<Value> CsvValues::value(std::string_view cell, Values& values, Place place) {
  if (cell == "null") return kNull;
  if (cell == "true") return kTrue;
  if (cell == "false") return kFalse;
  if (cell.starts_with('"') || cell.starts_with('[') || cell.starts_with('{')) {
    auto value = json_.value(cell, values, place);
    if (value) return value;
    return Error{fmt::format("a cell that begins like JSON and is none: {}", value.error().message), place};
  }
  const Number number = parse_number(cell);
  if (number.kind == Number::Kind::kTooLarge) return Error{too_large(cell), place};
  if (number.kind == Number::Kind::kInteger || number.kind == Number::Kind::kReal)
    return number.value(values);
  return values.string(cell);
}

void append_csv_value(const Values& values, Value value, std::string& out) {
  const bool as_text = values.kind(value) == ValueKind::kString && is_plain(values.as_string(value));
  append_csv_cell(as_text ? std::string(values.as_string(value)) : values.to_json(value), out);
}

void append_csv_arguments(const Values& values, std::span<const Value> args, std::string& out) {
  if (args.empty()) return;
  if (args.size() == 1 && values.kind(args[0]) != ValueKind::kArray)
    return append_csv_value(values, args[0], out);
  std::string all = "[";
  for (const Value arg : args) {
    if (all.size() > 1) all += ',';
    values.append_json(arg, all);
  }
  append_csv_cell(all + "]", out);
}

}  // namespace plumb
