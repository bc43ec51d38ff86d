// What processes do with an object of one model when a history is generated: which operations they choose,
// what the object returns, and how to get a result that no linearization explains.
//
// The objects here are plain mutable ones, made for millions of operations, and know nothing of the models in
// model_*.cpp: the tests replay what they do through those.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <plumb/generate.hpp>
#include <plumb/model.hpp>

#include "base/rng.hpp"

namespace plumb {

// Up to three arguments, inline: millions of these are made.
class Arguments {
 public:
  Arguments() = default;
  Arguments(std::initializer_list<Value> items) : size_(static_cast<std::uint8_t>(items.size())) {
    assert(items.size() <= items_.size());
    std::ranges::copy(items, items_.begin());
  }
  [[nodiscard]] std::span<const Value> all() const { return {items_.data(), size_}; }
  Value operator[](std::size_t i) const { return items_[i]; }

 private:
  std::array<Value, 3> items_ = {};
  std::uint8_t size_ = 0;
};

// An operation that a process asks for. Processes come and go; a slot is the place of one that is alive.
struct Request {
  std::size_t slot = 0;
  std::uint32_t operation = 0;  // index into Model::operations()
  Arguments args = {};
};

// A row of the history to be.
struct Row {
  Value process;
  std::uint32_t operation = 0;
  Arguments args = {};
  Value result = {};
  Time call = 0;
  Time ret = kNever;
};

// How far the history is.
struct Progress {
  std::size_t started = 0;
  std::size_t total = 0;
  [[nodiscard]] std::size_t remaining() const { return started < total ? total - started : 0; }
};

// Whether an operation that never returns may take effect.
enum class Loss : std::uint8_t { kEither, kMustHappen, kMustNotHappen, kForbidden };

// Operations that run alone, at a moment when no other is running. The effects of pending operations may
// still come between them: every violation must be one in spite of those.
class Script {
 public:
  virtual ~Script() = default;
  virtual OperationId run(const Request& request) = 0;
  virtual OperationId run_anywhere(std::uint32_t operation, Arguments args) = 0;  // by any process
  [[nodiscard]] virtual const Row& row(OperationId op) const = 0;
  // The lie.
  virtual void record(OperationId op, Value result) = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;

  // The value for the header of the history; null for none.
  [[nodiscard]] virtual Value initial() const { return kNull; }

  // What the process of that slot does next; nothing when it had better wait.
  virtual std::optional<Request> choose(std::size_t slot, const Progress& progress) = 0;
  // What it must do so that no other waits for it.
  [[nodiscard]] virtual std::optional<Request> let_go(std::size_t slot) {
    (void)slot;
    return std::nullopt;
  }
  // The operation is called. A lost one never returns; it may take effect.
  virtual void called(const Request& request, bool lost) { (void)request, (void)lost; }
  [[nodiscard]] virtual Loss loss(const Request& request) const {
    (void)request;
    return Loss::kEither;
  }
  [[nodiscard]] virtual bool is_possible(const Request& request) const {
    (void)request;
    return true;
  }
  // It takes effect: what it returns; nothing when it has to wait.
  virtual std::optional<Value> apply(OperationId op, const Request& request) = 0;

  virtual void spoil(Script& script) = 0;
};

// What a workload is made of.
struct Setting {
  const GenerateOptions& options;
  Values& values;
  Rng& rng;
};

// The workload of a model, by name; null if there is none.
[[nodiscard]] std::unique_ptr<Workload> make_workload(const Setting& setting);
[[nodiscard]] bool has_profiles(std::string_view model);

// Whether a collection fills or empties, by the profile.
class Tide {
 public:
  explicit Tide(Profile profile) : profile_(profile) {}
  bool rises(const Progress& progress, Rng& rng);

 private:
  static constexpr std::size_t kLongestBurst = 64;
  Profile profile_;
  bool rising_ = false;
  std::size_t turn_ = 0;  // the operation at which the burst ends
};

// Each defined with its like in workload_*.cpp.
#define PLUMB_BUILT_IN(NAME, HAS_PROFILES) std::unique_ptr<Workload> NAME##_workload(const Setting& setting);
#include "spec/models.def"
#undef PLUMB_BUILT_IN
std::unique_ptr<Workload> relaxed_workload(const Setting& setting);  // k-queue:K and the like
std::unique_ptr<Workload> java_workload(const Setting& setting);  // null where the model is none of java:…

}  // namespace plumb
