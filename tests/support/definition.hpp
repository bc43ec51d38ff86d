// What the definition says about one history: linearizable or not, plain and relaxed, for any model.
// Objects are by definition on their own. Word for word, so for a handful of operations; each
// question is answered once.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/oracle.hpp"
#include "support/quasi_oracle.hpp"
#include "support/violation.hpp"

namespace plumb::test {

class Definition {
 public:
  explicit Definition(const History& history) : history_(history) {
    std::map<std::uint32_t, std::vector<OperationId>> by_object;
    for (OperationId i = 0; i < history.size(); ++i) by_object[history.object(i).bits()].push_back(i);
    for (const auto& [object, operations] : by_object)
      objects_.push_back(restrict_to(history, operations).build());
  }

  // Every operation of `relax` must be one of the model's, and named once.
  bool accepts(const Model& model, std::span<const Relaxation> relax) {
    std::vector<std::uint32_t> k(model.operations().size());
    const auto most = static_cast<std::uint32_t>(history_.size());  // farther is nowhere
    for (const Relaxation& one : relax)
      k[find_operation(model, one.operation).value()] = std::min(one.k.value_or(0), most);
    const auto [it, is_new] = known_.try_emplace({std::string(model.name()), k});
    if (is_new) it->second = decide(model, k);
    return it->second;
  }

 private:
  bool decide(const Model& model, const std::vector<std::uint32_t>& k) const {
    return std::ranges::all_of(objects_, [&](const History& object) {
      const bool is_plain = std::ranges::all_of(k, [](std::uint32_t places) { return places == 0; });
      return is_plain ? is_linearizable(object, model) : QuasiOracle(object, model, k).accepts();
    });
  }

  const History& history_;
  std::vector<History> objects_;
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, bool> known_;
};

}  // namespace plumb::test
