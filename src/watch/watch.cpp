// The watcher: knows who is running what, fits each event to the model, and passes it to the monitor of its object.
#include <plumb/watch.hpp>

#include <deque>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "spec/bind.hpp"
#include "spec/claim.hpp"
#include "watch/online.hpp"

namespace plumb {
namespace {

// The slot of each process that runs something. Small numbers, which most processes are, need no hash.
class Slots {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(Value process) const {
    if (is_near(process)) {
      const auto number = static_cast<std::size_t>(process.small_integer());
      return number < near_.size() ? near_[number] : kNone;
    }
    const auto it = far_.find(process);
    return it == far_.end() ? kNone : it->second;
  }
  // It must have none.
  std::uint32_t take(Value process) {
    std::uint32_t slot = taken_;
    if (free_.empty()) {
      ++taken_;
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    if (is_near(process)) {
      const auto number = static_cast<std::size_t>(process.small_integer());
      if (number >= near_.size()) near_.resize(number + 1, kNone);
      near_[number] = slot;
    } else {
      far_.emplace(process, slot);
    }
    return slot;
  }
  void give_back(Value process) {
    free_.push_back(find(process));
    if (is_near(process)) {
      near_[static_cast<std::size_t>(process.small_integer())] = kNone;
    } else {
      far_.erase(process);
    }
  }
  [[nodiscard]] std::size_t in_use() const { return taken_ - free_.size(); }

 private:
  static constexpr std::int64_t kNear = 4096;
  static bool is_near(Value process) {
    return process.is_small() && process.small_integer() >= 0 && process.small_integer() < kNear;
  }

  std::vector<std::uint32_t> near_;
  absl::flat_hash_map<Value, std::uint32_t> far_;
  std::vector<std::uint32_t> free_;
  std::uint32_t taken_ = 0;
};

}  // namespace

struct Watcher::State {
  struct Object {
    std::unique_ptr<OnlineMonitor> monitor;
    Value name;
    bool given_up = false;
  };
  struct Function {
    std::string name;
    std::uint32_t operation;  // of the model that was given
    std::uint32_t watched;    // of the model that is watched
    Role role;
  };
  struct Running {
    OnlineOp op;
    const Function* function = nullptr;
    Value object;
    Object* monitor = nullptr;
  };

  // The model that was given; what is watched, in the setting, is the built-in one of its family where it claims one.
  const Model* model = nullptr;
  const TestedClaim* claim = nullptr;
  OnlineSetting setting;
  std::deque<Function> functions;
  Slots slots;
  std::vector<Running> running;  // by slot
  absl::flat_hash_map<Value, std::unique_ptr<Object>> objects;
  std::uint64_t operations = 0;
  Moment now = 0;
  std::string unjudged;

  const Function* find(std::string_view name) {
    for (const Function& f : functions) {
      if (f.name == name) return &f;
    }
    const auto operation = find_operation(*model, name);
    if (!operation) return nullptr;
    const std::uint32_t watched = claim == nullptr ? *operation : claim->operation_of[*operation];
    return &functions.emplace_back(
        Function{std::string(name), *operation, watched, setting.model->operations()[watched].role});
  }

  // All or nothing: what stands outside the family may come at any time.
  Status take_family(const WatchOptions& options) {
    if (model->claim() == nullptr) return Ok{};
    const TestedClaim& tested = tested_claim(*model);
    if (tested.wrong) return *tested.wrong;
    if (!tested.has_outside && options.initial.is_null()) claim = &tested;
    return Ok{};
  }

  Object& object(Value name) {
    auto& object = objects[name];
    if (!object) object = std::make_unique<Object>(Object{online_monitor(setting), name});
    return *object;
  }

  std::optional<WatchViolation> answered(Object& object, OnlineAnswer answer) {
    if (answer == OnlineAnswer::kFine) return std::nullopt;
    if (answer == OnlineAnswer::kViolation) {
      WatchViolation alarm = object.monitor->take_alarm();
      if (!object.name.is_null()) alarm.object = setting.values->to_json(object.name);
      return alarm;
    }
    give_up(object, object.monitor->why_not());
    return std::nullopt;
  }
  void give_up(Object& object, const std::string& why) {
    object.given_up = true;
    if (unjudged.empty()) unjudged = why;
  }

  // The end of the operation that a process runs, whatever it is.
  template <class Tell>
  Answer end(Value process, Place place, Tell&& tell) {
    const std::uint32_t slot = slots.find(process);
    if (slot == Slots::kNone) return without_invocation(process, place);
    Running& ended = running[slot];
    ++now;
    ended.op.name.returned_line = place.line;
    std::optional<WatchViolation> alarm;
    if (!ended.monitor->given_up) alarm = answered(*ended.monitor, tell(*ended.monitor->monitor, ended.op));
    if (!ended.object.is_null() && !ended.monitor->given_up && ended.monitor->monitor->is_fresh())
      objects.erase(ended.object);
    slots.give_back(process);
    return alarm;
  }

  Error without_invocation(Value process, Place place) const {
    return Error{fmt::format("a response of process {} without an invocation; expected its call first",
                             setting.values->to_json(process)),
                 place};
  }
};

Result<Watcher> Watcher::make(const Model& model, std::shared_ptr<Values> values,
                              const WatchOptions& options) {
  auto state = std::make_unique<State>();
  state->model = &model;
  if (auto status = state->take_family(options); !status) return status.error();
  state->setting = {state->claim == nullptr ? &model : state->claim->built_in,
                    values ? std::move(values) : std::make_shared<Values>(),
                    state->claim == nullptr ? options.initial : state->claim->initial, options.stop};
  if (const auto states = model.states(*state->setting.values, options.initial); !states)
    return states.error();
  return Watcher(std::move(state));
}

Watcher::Watcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watcher::~Watcher() = default;
Watcher::Watcher(Watcher&&) noexcept = default;
Watcher& Watcher::operator=(Watcher&&) noexcept = default;

Values& Watcher::values() { return *state_->setting.values; }

Watcher::Answer Watcher::call(Value process, std::string_view function, std::span<const Value> args,
                              Value object, Place place) {
  State& s = *state_;
  const Model& model = *s.model;
  const State::Function* known = s.find(function);
  if (known == nullptr) return Error{unknown_operation(model, std::string(function)), place};
  if (auto wrong = wrong_arguments(model.operations()[known->operation], function, args, values()))
    return Error{*wrong, place};
  if (auto wrong = model.validate({known->operation, process, args}, std::nullopt, values()))
    return Error{fmt::format("'{}': {}", function, *wrong), place};
  if (const std::uint32_t busy = s.slots.find(process); busy != Slots::kNone) {
    const State::Running& other = s.running[busy];
    return Error{
        fmt::format(
            "process {} calls '{}' before its '{}' of line {} has returned; expected one operation at a "
            "time",
            values().to_json(process), function, other.function->name, other.op.name.called_line),
        place};
  }
  const std::uint32_t slot = s.slots.take(process);
  if (slot == s.running.size()) s.running.emplace_back();
  State::Running& running = s.running[slot];
  running.op = {{s.operations++, place.line, 0}, known->watched, known->role, process,
                {args.begin(), args.end()},      ++s.now};
  running.function = known;
  running.object = object;
  running.monitor = &s.object(object);
  const bool covered =
      s.claim == nullptr || s.claim->covers_arguments(model, {known->operation, process, args}, values());
  if (!covered && !running.monitor->given_up)
    s.give_up(*running.monitor, fmt::format("a {} knows no such '{}'", to_string(model.family()), function));
  if (running.monitor->given_up) return std::optional<WatchViolation>();
  return s.answered(*running.monitor, running.monitor->monitor->call(running.op, s.now));
}

Watcher::Answer Watcher::ret(Value process, HistoryBuilder::Completed completed, Place place) {
  State& s = *state_;
  const std::uint32_t slot = s.slots.find(process);
  if (slot == Slots::kNone) return s.without_invocation(process, place);
  const State::Running& running = s.running[slot];
  const Call call{running.function->operation, process, running.op.args};
  const OperationSpec& spec = s.model->operations()[call.operation];
  auto wrong = wrong_result(spec, running.function->name, completed, values());
  const Value result = spec.returns == Returns::kNothing ? kNull : completed.result;
  if (!wrong) {
    wrong = s.model->validate(call, result, values());
    if (wrong) *wrong = fmt::format("'{}': {}", running.function->name, *wrong);
  }
  if (wrong) return Error{*wrong, place};
  if (s.claim == nullptr)
    return s.end(process, place,
                 [&](OnlineMonitor& m, const OnlineOp& op) { return m.ret(op, result, s.now); });
  if (!s.claim->covers_result(*s.model, call.operation, result, values()) && !running.monitor->given_up) {
    s.give_up(*running.monitor,
              fmt::format("a {} knows no '{}' that returns {}", to_string(s.model->family()),
                          running.function->name, values().to_json(result)));
  }
  const OperationSpec& watched = s.setting.model->operations()[running.function->watched];
  const Value told = watched.returns == Returns::kNothing ? kNull : result;
  return s.end(process, place, [&](OnlineMonitor& m, const OnlineOp& op) { return m.ret(op, told, s.now); });
}

Watcher::Answer Watcher::fail(Value process, Place place) {
  return state_->end(process, place,
                     [&](OnlineMonitor& m, const OnlineOp& op) { return m.fail(op, state_->now); });
}

Watcher::Answer Watcher::info(Value process, Place place) {
  return state_->end(process, place,
                     [&](OnlineMonitor& m, const OnlineOp& op) { return m.lose(op, state_->now); });
}

Watcher::Answer Watcher::settle() {
  State& s = *state_;
  for (auto& [name, object] : s.objects) {
    if (object->given_up) continue;
    if (auto alarm = s.answered(*object, object->monitor->settle(s.now))) return alarm;
  }
  return std::optional<WatchViolation>();
}

bool Watcher::is_open(Value process) const { return state_->slots.find(process) != Slots::kNone; }
std::optional<std::string_view> Watcher::open_function(Value process) const {
  const std::uint32_t slot = state_->slots.find(process);
  if (slot == Slots::kNone) return std::nullopt;
  return state_->running[slot].function->name;
}
std::uint64_t Watcher::operations() const { return state_->operations; }
std::uint64_t Watcher::events() const { return state_->now; }
std::size_t Watcher::open() const { return state_->slots.in_use(); }
const std::string& Watcher::unjudged() const { return state_->unjudged; }

}  // namespace plumb
