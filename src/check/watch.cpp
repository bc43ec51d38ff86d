// The watcher: knows who is running what, fits each event to the model, and passes it to the monitor of its object.
#include <plumb/watch.hpp>

#include <deque>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "check/online.hpp"
#include "spec/bind.hpp"

namespace plumb {

struct Watcher::State {
  struct Object {
    std::unique_ptr<OnlineMonitor> monitor;
    bool given_up = false;
  };
  struct Function {
    std::string name;
    std::uint32_t operation;
  };
  struct Running {
    OnlineOp op;
    const Function* function = nullptr;
    Value object;
    Object* monitor = nullptr;
  };

  OnlineSetting setting;
  std::deque<Function> functions;
  absl::flat_hash_map<Value, std::uint32_t> slots;  // of the process
  std::vector<Running> running;
  std::vector<std::uint32_t> free_slots;
  absl::flat_hash_map<Value, std::unique_ptr<Object>> objects;
  std::uint64_t operations = 0;
  Moment now = 0;
  std::string unjudged;

  const Function* find(std::string_view name) {
    for (const Function& f : functions) {
      if (f.name == name) return &f;
    }
    const auto operation = find_operation(*setting.model, name);
    if (!operation) return nullptr;
    return &functions.emplace_back(Function{std::string(name), *operation});
  }

  Object& object(Value name) {
    auto& object = objects[name];
    if (!object) object = std::make_unique<Object>(Object{online_monitor(setting), false});
    return *object;
  }

  std::optional<Alarm> answered(Object& object, OnlineAnswer answer) {
    if (answer == OnlineAnswer::kFine) return std::nullopt;
    if (answer == OnlineAnswer::kViolation) return object.monitor->take_alarm();
    object.given_up = true;
    if (unjudged.empty()) unjudged = object.monitor->why_not();
    return std::nullopt;
  }

  // The end of the operation that a process runs, whatever it is.
  template <class Tell>
  Answer end(Value process, Place place, Tell&& tell) {
    const auto it = slots.find(process);
    if (it == slots.end()) return without_invocation(process, place);
    Running& ended = running[it->second];
    ++now;
    ended.op.name.returned_line = place.line;
    std::optional<Alarm> alarm;
    if (!ended.monitor->given_up) alarm = answered(*ended.monitor, tell(*ended.monitor->monitor, ended.op));
    if (!ended.object.is_null() && !ended.monitor->given_up && ended.monitor->monitor->is_fresh())
      objects.erase(ended.object);
    free_slots.push_back(it->second);
    slots.erase(it);
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
  state->setting = {&model, values ? std::move(values) : std::make_shared<Values>(), options.initial,
                    options.stop};
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
  const Model& model = *s.setting.model;
  const State::Function* known = s.find(function);
  if (known == nullptr) return Error{unknown_operation(model, std::string(function)), place};
  if (auto wrong = wrong_arguments(model.operations()[known->operation], function, args, values()))
    return Error{*wrong, place};
  if (auto wrong = model.complaint({known->operation, process, args}, std::nullopt, values()))
    return Error{fmt::format("'{}': {}", function, *wrong), place};
  const auto [it, fresh] = s.slots.try_emplace(process, 0);
  if (!fresh) {
    const State::Running& other = s.running[it->second];
    return Error{
        fmt::format(
            "process {} calls '{}' before its '{}' of line {} has returned; expected one operation at a "
            "time",
            values().to_json(process), function, other.function->name, other.op.name.called_line),
        place};
  }
  if (s.free_slots.empty()) {
    it->second = static_cast<std::uint32_t>(s.running.size());
    s.running.emplace_back();
  } else {
    it->second = s.free_slots.back();
    s.free_slots.pop_back();
  }
  State::Running& running = s.running[it->second];
  running.op = {
      {s.operations++, place.line, 0}, known->operation, process, {args.begin(), args.end()}, ++s.now};
  running.function = known;
  running.object = object;
  running.monitor = &s.object(object);
  if (running.monitor->given_up) return std::optional<Alarm>();
  return s.answered(*running.monitor, running.monitor->monitor->call(running.op, s.now));
}

Watcher::Answer Watcher::ret(Value process, HistoryBuilder::Completed completed, Place place) {
  State& s = *state_;
  const auto it = s.slots.find(process);
  if (it == s.slots.end()) return s.without_invocation(process, place);
  const State::Running& running = s.running[it->second];
  const OperationSpec& spec = s.setting.model->operations()[running.op.operation];
  auto wrong = wrong_result(spec, running.function->name, completed, values());
  const Value result = spec.returns == Returns::kNothing ? kNull : completed.result;
  if (!wrong) {
    wrong = s.setting.model->complaint(running.op.call(), result, values());
    if (wrong) *wrong = fmt::format("'{}': {}", running.function->name, *wrong);
  }
  if (wrong) return Error{*wrong, place};
  return s.end(process, place,
               [&](OnlineMonitor& m, const OnlineOp& op) { return m.ret(op, result, s.now); });
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
  return std::optional<Alarm>();
}

bool Watcher::is_open(Value process) const { return state_->slots.contains(process); }
std::string_view Watcher::open_function(Value process) const {
  return state_->running[state_->slots.find(process)->second].function->name;
}
std::uint64_t Watcher::operations() const { return state_->operations; }
std::uint64_t Watcher::events() const { return state_->now; }
std::size_t Watcher::open() const { return state_->slots.size(); }
const std::string& Watcher::unjudged() const { return state_->unjudged; }

}  // namespace plumb
