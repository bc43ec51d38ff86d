// etcd, as its clients see it: keys with revisions, transactions, leases, compaction; every answer says at which revision it was given.
// Calls and answers are those of its robustness tests, in the form of etcd_request.hpp.
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "spec/etcd_foresight.hpp"
#include "spec/etcd_request.hpp"
#include "spec/etcd_state.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class Etcd {
 public:
  using State = EtcdState;
  static constexpr std::string_view kName = "etcd";
  static constexpr std::string_view kSummary =
      "keys with revisions, transactions, leases and compaction, as etcd's robustness tests record them";

  // In the order of EtcdKind.
  static std::vector<OperationSpec> operations() {
    using enum Takes;
    using enum Effect;
    const auto any = [](std::size_t count) { return std::vector<Takes>(count, kAny); };
    return {
        {.name = "range", .takes = any(5), .returns = Returns::kAny, .effect = kNeverChanges, .optional = 4},
        {.name = "put", .takes = any(3), .returns = Returns::kAny, .optional = 1},
        {.name = "delete", .takes = any(1), .returns = Returns::kAny},
        {.name = "txn", .takes = any(3), .returns = Returns::kAny},
        {.name = "read_txn", .takes = any(3), .returns = Returns::kAny, .effect = kNeverChanges},
        {.name = "lease_grant", .takes = {kInteger}, .returns = Returns::kAny, .effect = kNeverChanges},
        {.name = "lease_revoke", .takes = {kInteger}, .returns = Returns::kAny},
        {.name = "compact", .takes = {kInteger}, .returns = Returns::kAny},
        {.name = "defragment", .returns = Returns::kAny, .effect = kNeverChanges}};
  }

  static std::optional<std::string> validate(const Call& call, std::optional<Value> result,
                                             const Values& values) {
    return etcd_fault(call, result, values);
  }

  Result<State> initial(const Values& values, Value given) {
    values_ = &values;
    if (given.is_null()) return State();
    return Error{
        fmt::format("the initial value {}: a history of etcd begins with an empty store at revision 1; "
                    "expected null",
                    values.to_json(given))};
  }

  std::optional<Value> result(const State& state, const Call& call, Values& values) {
    const EtcdRun run(state, request(call), values);
    return run.is_possible() ? std::optional(run.answer(values)) : std::nullopt;
  }

  bool allows(const State& state, const Call& call, Value recorded, Values& values) {
    const EtcdRequest& asked = request(call);
    const auto answer = etcd_answer(asked, recorded, values);
    if (!answer || is_too_far(state, *answer)) return false;
    const EtcdRun run(state, asked, values);
    return run.is_possible() && run.agrees(*answer);
  }

  void update(State& state, const Call& call, Values& values) {
    EtcdRun(state, request(call), values).apply(state, foresight_.asks_for(state.now().number));
  }

  void look_ahead(std::span<const Lookahead> operations, std::uint32_t until) {
    foresight_ = EtcdForesight(operations, until, *values_);
  }
  [[nodiscard]] bool is_dead_end(const State& state) const { return foresight_.contradicts(state, *values_); }

  static std::string describe(const State& state, const Values& values) {
    std::string text = fmt::format("revision {}", state.now().number);
    for (const EtcdEntry& entry : state.now().entries) {
      text += fmt::format("{} {}: {} (of {})", text.find(':') == std::string::npos ? ":" : ",",
                          values.to_json(entry.key), values.to_json(entry.value), entry.mod);
    }
    if (!state.revoked().empty()) text += fmt::format(", revoked {}", fmt::join(state.revoked(), " "));
    if (state.compacted() > 0) text += fmt::format(", compacted at {}", state.compacted());
    return text;
  }

 private:
  // What most attempts of a search fail by.
  static bool is_too_far(const State& state, const EtcdAnswer& answer) {
    const std::int64_t now = state.now().number;
    return answer.revision && (*answer.revision < now || *answer.revision > now + 1);
  }

  // Each is taken apart once.
  const EtcdRequest& request(const Call& call) {
    std::array<std::uint32_t, 7> key{call.operation, static_cast<std::uint32_t>(call.args.size())};
    for (std::size_t i = 0; i < call.args.size(); ++i) key.at(i + 2) = call.args[i].bits();
    const auto [it, is_new] = requests_.try_emplace(key);
    if (is_new)
      it->second = std::make_unique<EtcdRequest>(etcd_request(call, *values_).value_or(EtcdRequest{}));
    return *it->second;
  }

  const Values* values_ = nullptr;  // of the search
  EtcdForesight foresight_;
  absl::flat_hash_map<std::array<std::uint32_t, 7>, std::unique_ptr<EtcdRequest>> requests_;
};

}  // namespace

const Model& etcd_model() {
  static const TypedModel<Etcd> model;
  return model;
}

}  // namespace plumb
