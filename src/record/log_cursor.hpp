// One log of a recording, operation by operation: slots are put together again to what was called and
// returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <plumb/history.hpp>

#include "record/log_block.hpp"

namespace plumb {

// Text as a value; what is not UTF-8 becomes {"bytes":"c3…"}. And JSON.
[[nodiscard]] Value string_value(std::string_view text, Values& values);
[[nodiscard]] Result<Value> json_value(std::string_view text, Values& values);

// A number or a text in a slot of its own, as a value.
[[nodiscard]] Result<Value> slot_value(const LogBlockView& block, std::size_t slot, Values& values);

// How many slots stand behind this one as its text, and whether they are there.
[[nodiscard]] Result<std::size_t> slots_behind(const LogBlockView& block, std::size_t slot,
                                               std::size_t slots);

// The blocks of one log as they are found, in their order.
class LogExtent {
 public:
  explicit LogExtent(std::vector<LogBlockView> blocks) : blocks_(std::move(blocks)) {}
  void add(const LogBlockView& block) { blocks_.push_back(block); }

  // Counts the slots that are there now. Sums are compared only if asked for, those of each block once.
  [[nodiscard]] Status measure(bool compare_sums);
  [[nodiscard]] const std::vector<LogBlockView>& blocks() const { return blocks_; }
  [[nodiscard]] std::size_t slots(std::size_t block) const { return slots_[block]; }
  [[nodiscard]] std::size_t all_slots() const;
  // There may have been more at that time, in blocks that are not here.
  [[nodiscard]] bool may_go_on() const { return may_go_on_; }
  // The last stamp that is in it; 0 if there is none.
  [[nodiscard]] std::uint64_t last_stamp() const;

 private:
  [[nodiscard]] std::uint64_t last_stamp(std::size_t block) const;
  [[nodiscard]] static Result<std::size_t> count_slots(const LogBlockView& block);

  std::vector<LogBlockView> blocks_;
  std::vector<std::size_t> slots_;
  std::size_t compared_ = 0;  // blocks in front that are sealed, with the right sums
  bool may_go_on_ = false;
};

class LogCursor {
 public:
  static constexpr std::uint64_t kRunning = ~std::uint64_t{0};

  // The extent must have been measured. Nothing is seen of what happened after `cut`.
  LogCursor(const LogExtent& extent, std::uint64_t cut, Values& values)
      : extent_(&extent), cut_(cut), values_(&values) {}

  // Moves on to the next operation; false after the last. There may be one later, when the log has grown and
  // was measured again, or the cut has moved.
  Result<bool> next();
  void set_cut(std::uint64_t cut) { cut_ = cut; }
  // Looks again how the operation ended that `next` has found, or that it found last.
  Status refresh();
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] std::uint64_t call() const { return call_; }
  [[nodiscard]] std::uint64_t ret() const { return ret_; }  // kRunning: it has not returned
  [[nodiscard]] std::uint32_t function() const { return function_; }
  [[nodiscard]] const std::vector<Value>& arguments() const { return arguments_; }
  [[nodiscard]] bool has_result() const { return has_result_; }
  [[nodiscard]] Value result() const { return result_; }
  // The block it stands in, for errors.
  [[nodiscard]] std::uint64_t offset() const { return extent_->blocks()[block_].header().offset; }

 private:
  [[nodiscard]] bool at_slot();
  Status operation(const LogBlockView& block, std::size_t slot);
  Result<Value> argument(std::uint32_t bits);
  Status finish();
  Result<std::optional<Value>> value_behind();
  bool duration_behind(std::uint64_t& duration);

  const LogExtent* extent_;
  std::uint64_t cut_;
  Values* values_;
  std::size_t block_ = 0;
  std::size_t slot_ = 0;
  // The operation itself, and what follows it.
  std::size_t operation_block_ = 0;
  std::size_t operation_slot_ = 0;
  // Read, and not used by an operation yet.
  std::vector<Value> elsewhere_;
  std::size_t elsewhere_used_ = 0;
  std::vector<std::uint32_t> more_;

  std::uint64_t call_ = 0;
  std::uint64_t ret_ = 0;
  std::uint32_t function_ = 0;
  std::vector<Value> arguments_;
  bool failed_ = false;
  bool has_result_ = false;
  Value result_;
};

}  // namespace plumb
