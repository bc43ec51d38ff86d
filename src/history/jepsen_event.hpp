// Jepsen's events, whatever they are written in: the front ends hand over the members of each event as they
// meet them, and this makes histories of them. The order of the events is their time.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <plumb/history.hpp>

#include "history/function_names.hpp"
#include "history/header.hpp"
#include "history/jepsen_convention.hpp"

namespace plumb {

class JepsenEvents {
 public:
  [[nodiscard]] Values& values() { return builder_.values(); }

  // One event: `begin`, its members in any order, `end`. Members that are not wanted need not be handed over.
  void begin(Place place);
  [[nodiscard]] static bool wants(std::string_view name);
  void member(std::string_view name, Value value, Place place);
  [[nodiscard]] Status end();

  // The events so far are a history of their own, if there are any.
  [[nodiscard]] Status end_history();
  [[nodiscard]] Result<std::vector<History>> finish();

 private:
  enum Name : std::uint8_t {
    kProcess,
    kType,
    kFunction,
    kValue,
    kKey,
    kArgs,
    kResult,
    kIndex,
    kObject,
    kId,
    kPlumb,
    kModel,
    kInitial,
    kNames
  };
  static constexpr std::array<std::string_view, kNames> kMemberNames = {
      "process", "type",   "f",  "value", "key",   "args",   "result",
      "index",   "object", "id", "plumb", "model", "initial"};
  struct Given {
    Value value;
    Place place;
    bool present = false;
  };

  [[nodiscard]] Status header();
  [[nodiscard]] Status check_index();
  [[nodiscard]] Status invoke();
  [[nodiscard]] Status complete(std::string_view type);
  [[nodiscard]] Result<std::string_view> word(Name name, std::string_view what);
  [[nodiscard]] Result<JepsenData> data();
  [[nodiscard]] bool is_integer(Value value) const;

  HistoryBuilder builder_;
  FunctionNames names_;
  std::vector<History> histories_;
  std::array<Given, kNames> given_;
  Place place_;
  bool started_ = false;                       // the history being built has a header or an event
  bool has_client_ = false;                    // and an event of a client
  Place stranger_;                             // an invocation of a process that is not a client, the first
  absl::flat_hash_map<Value, Value> invoked_;  // the value of the open invocation of each process
  absl::flat_hash_set<Value> indices_;
};

}  // namespace plumb
