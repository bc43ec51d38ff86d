#include "testing/workload.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

using Source = Workload::Source;
constexpr unsigned kMostWeight = 10'000;

// The arguments of built-in models that are stored, and given back as they are.
struct Stored {
  std::string_view model;
  std::string_view operation;
  std::size_t argument;
  Source source;
};
constexpr std::array kStored{
    Stored{"queue", "enqueue", 0, Source::kFresh},
    Stored{"stack", "push", 0, Source::kFresh},
    Stored{"deque", "push_front", 0, Source::kFresh},
    Stored{"deque", "push_back", 0, Source::kFresh},
    Stored{"priority-queue", "insert", 0, Source::kFresh},
    Stored{"register", "write", 0, Source::kFresh},
    Stored{"register", "cas", 0, Source::kSeen},
    Stored{"register", "cas", 1, Source::kFresh},
    Stored{"map", "put", 1, Source::kFresh},
    Stored{"map", "put_if_absent", 1, Source::kFresh},
};

std::vector<Source> sources_of(const test::Operation& operation, const Model* model) {
  std::vector<Source> sources(operation.parameters, Source::kListed);
  if (const auto known = model != nullptr ? find_operation(*model, operation.name) : std::nullopt; known) {
    for (const Stored& stored : kStored) {
      if (stored.model == model->name() && stored.operation == model->operations()[*known].name &&
          stored.argument < sources.size())
        sources[stored.argument] = stored.source;
    }
  }
  for (std::size_t i = 0; i < operation.distinct.size(); ++i) {
    if (operation.distinct[i]) sources[i] = *operation.distinct[i] ? Source::kFresh : Source::kListed;
  }
  return sources;
}

}  // namespace

Result<Workload> make_workload(const TestCase& test, std::size_t threads) {
  Workload workload;
  workload.threads = threads;
  workload.choices.resize(threads);
  workload.scattered =
      test.chosen_model() != nullptr && test.chosen_model()->family() == Family::kPriorityQueue;
  std::map<std::string, std::size_t> thread_of_group;
  for (std::size_t i = 0; i < test.operations().size(); ++i) {
    const test::Operation& operation = test.operations()[i];
    if (operation.weight > kMostWeight)
      return Error{fmt::format("the weight of {} is more than {}", operation.name, kMostWeight)};
    workload.sources.push_back(sources_of(operation, test.chosen_model()));
    std::size_t first = 0;
    std::size_t last = threads;
    if (!operation.group.empty()) {
      first = thread_of_group.try_emplace(operation.group, thread_of_group.size() % threads).first->second;
      last = first + 1;
    }
    for (std::size_t thread = first; thread < last; ++thread)
      workload.choices[thread].insert(workload.choices[thread].end(), operation.weight,
                                      static_cast<std::uint32_t>(i));
  }
  if (std::ranges::all_of(workload.choices, &std::vector<std::uint32_t>::empty))
    return Error{"every operation has the weight 0: nothing to run"};
  return workload;
}

}  // namespace plumb::testing
