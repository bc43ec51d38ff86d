// k-queue:K, k-stack:K and k-priority-queue:K: a removal takes any of the K + 1 that are first in line: the oldest, the newest,
// the smallest. It finds nothing only when there is nothing.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kMostK = 1'000'000;

// What the three have of their own.
struct RelaxedFamily {
  std::string_view name;  // without K
  std::string_view strict;
  std::string_view first;  // "oldest"
  enum Order : std::uint8_t { kOldest, kNewest, kSmallest } order;
  const Model& (*model)();
};

constexpr std::array kFamilies = {
    RelaxedFamily{"k-queue", "queue", "oldest", RelaxedFamily::kOldest, queue_model},
    RelaxedFamily{"k-stack", "stack", "newest", RelaxedFamily::kNewest, stack_model},
    RelaxedFamily{"k-priority-queue", "priority queue", "smallest", RelaxedFamily::kSmallest,
                  priority_queue_model},
};

struct RelaxedCollection {
  enum Operation : std::uint32_t { kInsert, kRemove };  // as in the strict models
  using State = std::vector<Value>;                     // the first in line stands last

  const RelaxedFamily* family = nullptr;
  std::uint32_t k = 0;

  static auto after(const Values& values) {
    return [&values](Value a, Value b) { return values.compare(a, b) > 0; };
  }

  Result<State> initial(const Values& values, Value given) const {
    auto items = initial_items(family->name, values, given);
    if (!items) return items.error();
    if (family->order == RelaxedFamily::kOldest) std::ranges::reverse(*items);
    if (family->order == RelaxedFamily::kSmallest) std::ranges::sort(*items, after(values));
    return items;
  }

  void outcomes(const State& items, const Call& call, const Values& values,
                std::vector<std::pair<Value, State>>& all) const {
    if (call.operation == kInsert) {
      State more = items;
      more.insert(place_for(more, call.args[0], values), call.args[0]);
      all.emplace_back(kNull, std::move(more));
      return;
    }
    if (items.empty()) all.emplace_back(kNull, items);
    for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), std::size_t{k} + 1); ++i) {
      const auto taken = items.end() - 1 - static_cast<std::ptrdiff_t>(i);
      if (i != 0 && *taken == *(taken + 1)) continue;  // the same as the one before it
      State less(items.begin(), taken);
      less.insert(less.end(), taken + 1, items.end());
      all.emplace_back(*taken, std::move(less));
    }
  }

  [[nodiscard]] std::string describe(const State& items, const Values& values) const {
    if (family->order == RelaxedFamily::kNewest) return list_items(items, values);
    return list_items(State(items.rbegin(), items.rend()), values);
  }

 private:
  State::iterator place_for(State& items, Value value, const Values& values) const {
    if (family->order == RelaxedFamily::kNewest) return items.end();
    if (family->order == RelaxedFamily::kOldest) return items.begin();
    return std::ranges::lower_bound(items, value, after(values));
  }
};

class RelaxedModel final : public Model {
 public:
  RelaxedModel(const RelaxedFamily& family, std::uint32_t k)
      : family_(family),
        k_(k),
        name_(fmt::format("{}:{}", family.name, k)),
        summary_(fmt::format("a relaxed {}: one of the {} {} comes out; of K + 1 in a {}:K", family.strict,
                             std::uint64_t{k} + 1, family.first, family.name)) {
    // What of several a look would find, nobody has said.
    std::ranges::copy_if(family.model().operations(), std::back_inserter(operations_),
                         [](const OperationSpec& spec) { return !is_peek(spec.role); });
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::span<const OperationSpec> operations() const override { return operations_; }
  std::optional<Value> key(const Call&) const override { return std::nullopt; }
  bool is_keyed() const override { return false; }
  bool depends_on_process() const override { return false; }
  bool validates() const override { return false; }

  Result<std::unique_ptr<States>> states(const Values& values, Value initial) const override {
    auto states = std::make_unique<TypedStates<RelaxedCollection>>(values, operations_,
                                                                   RelaxedCollection{&family_, k_});
    if (auto status = states->start(initial); !status) return status.error();
    return std::unique_ptr<States>(std::move(states));
  }

 private:
  const RelaxedFamily& family_;
  std::uint32_t k_;
  std::string name_;
  std::string summary_;
  std::vector<OperationSpec> operations_;
};

// Each model is made once, and lives as long as the program.
const Model& relaxed_model(const RelaxedFamily& family, std::uint32_t k) {
  static std::mutex mutex;
  static std::map<std::pair<std::string_view, std::uint32_t>, std::unique_ptr<RelaxedModel>> made;
  const std::scoped_lock lock(mutex);
  auto& model = made[{family.name, k}];
  if (!model) model = std::make_unique<RelaxedModel>(family, k);
  return *model;
}

}  // namespace

std::optional<RelaxedName> parse_relaxed_name(std::string_view name) {
  for (const RelaxedFamily& family : kFamilies) {
    if (!name.starts_with(family.name)) continue;
    const std::string_view rest = name.substr(family.name.size());
    if (!rest.empty() && rest[0] != ':') continue;
    const std::string_view digits = rest.substr(std::min<std::size_t>(rest.size(), 1));
    std::uint32_t k = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
    const bool whole = error == std::errc() && end == digits.data() + digits.size() && k <= kMostK;
    return RelaxedName{family.name, whole ? std::optional(k) : std::nullopt};
  }
  return std::nullopt;
}

std::optional<Result<const Model*>> find_relaxed_model(std::string_view name) {
  const auto parsed = parse_relaxed_name(name);
  if (!parsed) return std::nullopt;
  if (!parsed->k) {
    return Error{fmt::format("model '{}'; expected {}:K, with K from 0 to {}, such as {}:2", name,
                             parsed->family, kMostK, parsed->family)};
  }
  return &relaxed_model(*std::ranges::find(kFamilies, parsed->family, &RelaxedFamily::name), *parsed->k);
}

std::vector<const Model*> relaxed_models() {
  std::vector<const Model*> all;
  all.reserve(kFamilies.size());
  for (const RelaxedFamily& family : kFamilies) all.push_back(&relaxed_model(family, 1));
  return all;
}

}  // namespace plumb
