// Writing the binary format, block by block: what was written stays readable whatever happens afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include <plumb/history.hpp>

#include "formats/binary_values.hpp"
#include "record/binary_block.hpp"

namespace plumb {

// One history. Blocks are appended to `out`, from where they may be taken away at any time.
class BinaryWriter {
 public:
  static constexpr std::size_t kBlockOperations = std::size_t{1} << 15U;

  BinaryWriter(const Values& values, std::string& out) : values_(&values), dictionary_(values), out_(&out) {}

  Status begin(std::string_view model, Value initial, std::string_view name);
  // One block of operations, at least one. Their functions are numbers in `functions`, which may grow between
  // calls.
  Status operations(const Columns& columns, std::span<const std::string> functions);
  Status end();

 private:
  void heads(const Columns& columns, std::span<const std::string> functions);
  std::uint64_t head_number(OperationHead head, std::span<const std::string> functions);
  Status processes(const Columns& columns);
  void times(const Columns& columns);
  void values(ColumnId id, std::span<const Value> column, unsigned least_width);
  Status finish_block(BlockKind kind, std::uint64_t operations, std::uint64_t arguments);

  const Values* values_;
  BinaryValueWriter dictionary_;
  std::string* out_;
  BlockWriter block_;
  std::uint32_t blocks_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t arguments_ = 0;
  Time last_call_ = 0;
  std::vector<std::uint64_t> numbers_;  // of the column in work

  absl::flat_hash_map<std::uint64_t, std::uint64_t> known_heads_;
  std::vector<std::uint64_t> new_heads_;
  absl::flat_hash_map<FunctionId, std::uint64_t> known_functions_;
  std::vector<std::uint64_t> new_function_sizes_;
  std::string new_function_text_;
};

}  // namespace plumb
