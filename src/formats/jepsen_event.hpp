// Jepsen's events, whatever they are written in: the front ends hand over the members of each event as they
// meet them, and this tells a sink what they mean. The order of the events is their time.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <plumb/history.hpp>

#include "formats/jepsen_convention.hpp"
#include "history/event_sink.hpp"

namespace plumb {

enum class JepsenType : std::uint8_t { kInvoke, kOk, kFail, kInfo };

// An event of a client.
struct JepsenEvent {
  JepsenType type = JepsenType::kInvoke;
  Value process = {};
  std::optional<std::string_view> function = {};
  JepsenData data = {};
  Value object = {};
  Place place = {};
  Place function_place = {};
};

// What the values of events are: as they are; or [key value], as jepsen.independent makes them of one value for each of many
// objects; or transactions of one step, as Elle's generators write them: a read or a write of a register for each key.
enum class JepsenValues : std::uint8_t { kPlain, kIndependent, kSingleSteps };

class JepsenEvents {
 public:
  // `is_whole`: all events are here, or will be: an index that stands twice is found, at the
  // price of remembering them.
  explicit JepsenEvents(EventSink& sink, bool is_whole = true, JepsenValues kind = JepsenValues::kPlain)
      : sink_(sink), is_whole_(is_whole), kind_(kind) {}
  [[nodiscard]] Values& values() { return sink_.values(); }

  // One event: `begin`, its members in any order, `end`. Members that are not wanted need not be handed over.
  void begin(Place place);
  [[nodiscard]] static bool wants(std::string_view name);
  void member(std::string_view name, Value value, Place place);
  [[nodiscard]] Status end();

  // The same for an event whose members are known already.
  [[nodiscard]] Status event(JepsenEvent event);

  // The events so far are a history of their own, if there are any; an empty one, if there are none
  // at all and `even_empty`.
  [[nodiscard]] Status end_history(bool even_empty = false);

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
  [[nodiscard]] Status split(JepsenEvent& event) const;
  [[nodiscard]] Status split_step(JepsenEvent& event) const;
  [[nodiscard]] Status check_object(const JepsenEvent& event) const;
  [[nodiscard]] Status check_written(const JepsenEvent& event) const;
  [[nodiscard]] Status invoke(const JepsenEvent& event);
  [[nodiscard]] Status complete(const JepsenEvent& event);
  [[nodiscard]] Result<std::string_view> word(Name name, std::string_view what);
  [[nodiscard]] Result<JepsenData> data();

  struct Invoked {
    Value value;
    Value object;
  };

  EventSink& sink_;
  bool is_whole_;
  JepsenValues kind_;
  std::array<Given, kNames> given_;
  Place place_;
  bool started_ = false;                         // the history being built has a header or an event
  bool has_client_ = false;                      // and an event of a client
  Place stranger_;                               // an invocation of a process that is not a client, the first
  absl::flat_hash_map<Value, Invoked> invoked_;  // the open invocation of each process
  absl::flat_hash_set<Value> indices_;
};

}  // namespace plumb
