#include "journal/shard.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/file_io.hpp"

namespace plumb {
namespace {

// Who starts processes, and what they are told.
struct Starter {
  const char* index;
  const char* count;
  const char* first =
      nullptr;                 // holds the index of the first one, where that is up to the user; by default 0
  const char* step = nullptr;  // and how far the next one is from it; by default 1
  std::size_t counts_from = 0;
};

constexpr Starter kGoogleTest{.index = "GTEST_SHARD_INDEX", .count = "GTEST_TOTAL_SHARDS"};
constexpr std::array kOthers{
    Starter{.index = "TEST_SHARD_INDEX", .count = "TEST_TOTAL_SHARDS"},  // Bazel
    Starter{.index = "SLURM_ARRAY_TASK_ID",
            .count = "SLURM_ARRAY_TASK_COUNT",
            .first = "SLURM_ARRAY_TASK_MIN",
            .step = "SLURM_ARRAY_TASK_STEP"},
    Starter{.index = "JOB_COMPLETION_INDEX", .count = "JOB_COMPLETIONS"},                // Kubernetes
    Starter{.index = "CI_NODE_INDEX", .count = "CI_NODE_TOTAL", .counts_from = 1}};      // GitLab
constexpr std::array kStatusFiles{"GTEST_SHARD_STATUS_FILE", "TEST_SHARD_STATUS_FILE"};  // GoogleTest, Bazel

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_set(const Environment& variable, const char* name) {
  const char* value = variable(name);
  return value != nullptr && *value != '\0';
}

Result<std::size_t> number_in(const Environment& variable, const char* name) {
  const char* value = variable(name);
  if (const auto number = whole_number(value)) return *number;
  return Error{fmt::format("{} is \"{}\"; expected a whole number", name, value)};
}

Result<std::size_t> number_or(const Environment& variable, const char* name, std::size_t otherwise) {
  return name == nullptr || !is_set(variable, name) ? Result<std::size_t>(otherwise)
                                                    : number_in(variable, name);
}

// Of a starter whose variables are set.
Result<Shard> shard_of(const Starter& starter, const Environment& variable) {
  const auto count = number_in(variable, starter.count);
  if (!count) return count.error();
  const auto index = number_in(variable, starter.index);
  if (!index) return index.error();
  const auto first = number_or(variable, starter.first, starter.counts_from);
  if (!first) return first.error();
  const auto step = number_or(variable, starter.step, 1);
  if (!step) return step.error();
  const bool fits = *index >= *first && *step > 0 && (*index - *first) % *step == 0;
  if (!fits || (*index - *first) / *step >= *count)
    return Error{fmt::format("{} is {} and {} is {}: there is no such shard", starter.index, *index,
                             starter.count, *count)};
  return Shard{(*index - *first) / *step, *count};
}

// Nothing: this is not who started us.
Result<std::optional<Shard>> told_by(const Starter& starter, const Environment& variable) {
  if (!is_set(variable, starter.index) || !is_set(variable, starter.count)) return std::optional<Shard>();
  const auto shard = shard_of(starter, variable);
  if (!shard) return shard.error();
  return std::optional(*shard);
}

// GitLab says a total of 1, and no index, where nothing is shared.
Status no_half(const Starter& starter, const Environment& variable) {
  const bool has_index = is_set(variable, starter.index);
  if (has_index == is_set(variable, starter.count)) return Ok{};
  if (!has_index && std::string_view(variable(starter.count)) == "1") return Ok{};
  return Error{fmt::format("--shard env: {} is set, and {} is not", has_index ? starter.index : starter.count,
                           has_index ? starter.count : starter.index)};
}

Result<std::optional<Shard>> in_environment(bool all, const Environment& variable) {
  auto found = told_by(kGoogleTest, variable);
  if (!found || *found || !all) return found;
  for (const Starter& starter : kOthers) {
    if (found = told_by(starter, variable); !found || *found) return found;
  }
  for (const Starter& starter : kOthers) {
    if (const auto whole = no_half(starter, variable); !whole) return whole.error();
  }
  return std::optional<Shard>();
}

}  // namespace

Result<ShardChoice> parse_shard(const std::string& text) {
  if (text == "env") return ShardChoice{.environment = true};
  const Error unreadable{fmt::format("expected I/N (shard I of N, the first is 0) or env, found '{}'", text)};
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return unreadable;
  const auto index = whole_number(std::string_view(text).substr(0, slash));
  const auto count = whole_number(std::string_view(text).substr(slash + 1));
  if (!index || !count) return unreadable;
  if (*index >= *count)
    return Error{fmt::format("expected I/N with I below N, since the first shard is 0; found '{}'", text)};
  return ShardChoice{.given = Shard{*index, *count}};
}

Result<std::optional<Shard>> find_shard(const ShardChoice& choice, const Environment& variable) {
  if (choice.given) return choice.given;
  auto found = in_environment(choice.environment, variable);
  if (!found || !*found) return found;
  for (const char* file : kStatusFiles) {
    if (!is_set(variable, file)) continue;
    if (const auto touched = append_file(variable(file), {}); !touched) return touched.error();
  }
  return found;
}

Result<std::optional<Shard>> find_shard(const ShardChoice& choice) {
  return find_shard(choice, [](const char* name) { return std::getenv(name); });
}

}  // namespace plumb
