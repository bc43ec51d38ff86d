// Columns to blocks: each column becomes numbers, the block finds the width.
#include "formats/binary_writer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace plumb {

Status BinaryWriter::begin(std::string_view model, Value initial, std::string_view name) {
  block_.add_text(ColumnId::kModel, model);
  block_.add_text(ColumnId::kName, name);
  values(ColumnId::kInitial, {&initial, 1}, 1);
  return finish_block(BlockKind::kBegin, 0, 0);
}

Status BinaryWriter::operations(const Columns& columns, std::span<const std::string> functions) {
  heads(columns, functions);
  if (auto status = processes(columns); !status) return status;
  values(ColumnId::kArguments, columns.arguments, 1);
  numbers_.clear();
  for (std::size_t i = 0; i < columns.result.size(); ++i) {
    const bool has_result = columns.head[i].has_result && columns.ret[i] != kNever;
    numbers_.push_back(dictionary_.number(has_result ? columns.result[i] : kNull));
  }
  block_.add(ColumnId::kResult, numbers_);
  values(ColumnId::kObject, columns.object, 0);
  times(columns);
  operations_ += columns.head.size();
  arguments_ += columns.arguments.size();
  return finish_block(BlockKind::kOperations, columns.head.size(), columns.arguments.size());
}

Status BinaryWriter::end() { return finish_block(BlockKind::kEnd, operations_, arguments_); }

void BinaryWriter::heads(const Columns& columns, std::span<const std::string> functions) {
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint64_t number = 0;
  };
  std::array<Recent, 64> recent;  // a history has few kinds of operation
  numbers_.clear();
  for (std::size_t i = 0; i < columns.head.size(); ++i) {
    OperationHead head = columns.head[i];
    head.has_result = head.has_result && columns.ret[i] != kNever;
    const std::uint64_t key =
        std::uint64_t{head.function} * 512 + head.arity * 2U + (head.has_result ? 1 : 0);
    Recent& known =
        recent[(head.function * 4U + head.arity * 2U + (head.has_result ? 1 : 0)) % recent.size()];
    if (key != known.key) known = {key, head_number(head, functions)};
    numbers_.push_back(known.number);
  }
  block_.add(ColumnId::kHead, numbers_, 1);
}

std::uint64_t BinaryWriter::head_number(OperationHead head, std::span<const std::string> functions) {
  const auto [function, new_function] = known_functions_.try_emplace(head.function, known_functions_.size());
  if (new_function) {
    new_function_sizes_.push_back(functions[head.function].size());
    new_function_text_ += functions[head.function];
  }
  const std::uint64_t key = function->second * 512 + head.arity * 2U + (head.has_result ? 1 : 0);
  const auto [known, is_new] = known_heads_.try_emplace(key, known_heads_.size());
  if (is_new) new_heads_.push_back(key);
  return known->second;
}

Status BinaryWriter::processes(const Columns& columns) {
  for (const Value process : columns.process) {
    if (process.is_small()) continue;
    const ValueKind kind = values_->kind(process);
    if (kind == ValueKind::kInteger || kind == ValueKind::kString) continue;
    return Error{fmt::format("process {}: the format binary has whole numbers and strings as processes",
                             values_->to_json(process))};
  }
  values(ColumnId::kProcess, columns.process, 0);
  return Ok{};
}

// Differences of times are modulo 2^64: no time is too early or too late.
void BinaryWriter::times(const Columns& columns) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63U;
  numbers_.clear();
  for (const Time call : columns.call) {
    numbers_.push_back(static_cast<std::uint64_t>(call) - static_cast<std::uint64_t>(last_call_) + kMiddle);
    last_call_ = call;
  }
  block_.add(ColumnId::kCall, numbers_);
  numbers_.clear();
  for (std::size_t i = 0; i < columns.ret.size(); ++i) {
    const auto duration =
        static_cast<std::uint64_t>(columns.ret[i]) - static_cast<std::uint64_t>(columns.call[i]);
    numbers_.push_back(columns.ret[i] == kNever ? 0 : duration + 1);
  }
  block_.add(ColumnId::kDuration, numbers_);
}

void BinaryWriter::values(ColumnId id, std::span<const Value> column, unsigned least_width) {
  numbers_.clear();
  for (const Value v : column) numbers_.push_back(dictionary_.number(v));
  block_.add(id, numbers_, least_width);
}

Status BinaryWriter::finish_block(BlockKind kind, std::uint64_t operations, std::uint64_t arguments) {
  block_.add(ColumnId::kFunctionSizes, new_function_sizes_, 1);
  block_.add_text(ColumnId::kFunctionText, new_function_text_);
  block_.add(ColumnId::kHeads, new_heads_, 1);
  new_function_sizes_.clear();
  new_function_text_.clear();
  new_heads_.clear();
  if (auto status = dictionary_.flush(block_); !status) return status;
  BlockHeader header;
  header.kind = kind;
  header.number = blocks_++;
  header.operations = operations;
  header.arguments = arguments;
  block_.finish(header, *out_);
  return Ok{};
}

}  // namespace plumb
