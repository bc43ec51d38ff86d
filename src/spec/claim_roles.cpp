#include "spec/claim_roles.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "spec/claim.hpp"

namespace plumb {
namespace {

// What operations are often called, by role; which of the roles are meant, the family says.
struct Names {
  Role role;
  std::vector<std::string_view> names;
};

const std::vector<Names>& usual_names() {
  static const std::vector<Names> all = {
      {Role::kRead, {"read", "load", "get"}},
      {Role::kWrite, {"write", "store", "set", "put"}},
      {Role::kWriteIfAbsent, {"put_if_absent", "insert_if_absent"}},
      {Role::kCompareAndSwap, {"cas", "compare_and_swap", "compare_and_set", "compare_exchange"}},
      {Role::kAppend, {"append"}},
      {Role::kTransact, {"txn", "transact"}},
      {Role::kAdd, {"add", "increment_by"}},
      {Role::kFetchAdd, {"fetch_add", "get_and_add"}},
      {Role::kInsert, {"insert", "enqueue", "push", "offer", "put", "add", "push_back", "send"}},
      {Role::kRemove,
       {"remove", "dequeue", "pop", "poll", "take", "extract_min", "delete_min", "remove_min", "erase",
        "pop_front", "try_pop", "try_dequeue", "receive"}},
      {Role::kContains, {"contains", "has"}},
      {Role::kInsertFront, {"push_front", "offer_first", "add_first"}},
      {Role::kInsertBack, {"push_back", "offer_last", "add_last"}},
      {Role::kRemoveFront, {"pop_front", "poll_first"}},
      {Role::kRemoveBack, {"pop_back", "poll_last"}},
      {Role::kPeek, {"peek", "front", "top", "find_min", "peek_min"}},
      {Role::kPeekFront, {"peek_front", "front", "peek_first"}},
      {Role::kPeekBack, {"peek_back", "back", "peek_last"}},
      {Role::kAcquire, {"acquire", "lock"}},
      {Role::kTryAcquire, {"try_acquire", "try_lock"}},
      {Role::kRelease, {"release", "unlock"}},
  };
  return all;
}

bool is_called(const OperationSpec& spec, std::string_view name) {
  return spec.name == name || std::ranges::find(spec.aliases, name) != spec.aliases.end();
}

bool is_usual(const OperationSpec& spec, Role role) {
  const auto row = std::ranges::find(usual_names(), role, &Names::role);
  return row != usual_names().end() &&
         std::ranges::any_of(row->names, [&](std::string_view name) { return is_called(spec, name); });
}

std::string roles_of(const Model& built_in) {
  std::string out;
  for (const OperationSpec& spec : built_in.operations())
    out += fmt::format("{}{}", out.empty() ? "" : ", ", to_string(spec.role));
  return out;
}

// The one it is in the built-in model; the end, if none.
std::size_t match(const OperationSpec& spec, std::span<const OperationSpec> built_in) {
  const auto fits = [&](const OperationSpec& theirs) {
    return spec.role == Role::kNone ? is_called(spec, theirs.name) || is_usual(spec, theirs.role)
                                    : spec.role == theirs.role;
  };
  return static_cast<std::size_t>(std::ranges::find_if(built_in, fits) - built_in.begin());
}

}  // namespace

Result<std::vector<std::uint32_t>> match_roles(const Model& model, const Model& built_in) {
  const std::string_view family = to_string(built_in.family());
  const auto theirs = built_in.operations();
  std::vector<std::uint32_t> matched;
  for (const OperationSpec& spec : model.operations()) {
    if (spec.role == Role::kOutside) {
      matched.push_back(TestedClaim::kOutside);
      continue;
    }
    const std::size_t at = match(spec, theirs);
    if (at == theirs.size()) {
      return Error{
          fmt::format("the model '{}' cannot be said to behave as a {}: its operation '{}' has no role "
                      "there, which has {}; give it one of these with role(…), or leave it out of the "
                      "family with outside_family()",
                      model.name(), family, spec.name, roles_of(built_in))};
    }
    if (spec.takes.size() != theirs[at].takes.size() || spec.optional != theirs[at].optional) {
      return Error{
          fmt::format("the model '{}' cannot be said to behave as a {}: its operation '{}' takes other "
                      "arguments than the family's '{}'",
                      model.name(), family, spec.name, theirs[at].name)};
    }
    matched.push_back(static_cast<std::uint32_t>(at));
  }
  return matched;
}

}  // namespace plumb
