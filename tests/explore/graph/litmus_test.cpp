// The graph search against programs whose executions are known, and against the definition of each model, by brute force.
#include <gtest/gtest.h>

#include <random>

#include "brute_force.hpp"
#include "explore/memory_models.hpp"
#include "interpreter.hpp"
#include "paths.hpp"
#include "support/scale.hpp"

namespace plumb_tests {
namespace {

using plumb::engine::graph::Model;

void expect_as_listed(const LitmusProgram& program, Model model, const Behaviours& listed) {
  const Explored found = explore_by_graphs(program, model);
  EXPECT_EQ(found.executions, listed.executions) << program.name << " " << plumb::engine::word_of(model);
  EXPECT_EQ(found.outcomes, listed.outcomes) << program.name << " " << plumb::engine::word_of(model);
  EXPECT_EQ(found.duplicates, 0U) << program.name << " " << plumb::engine::word_of(model);
}

void expect_all_as_listed(const std::vector<LitmusProgram>& programs) {
  for (const LitmusProgram& program : programs) {
    expect_as_listed(program, Model::kRc11, program.rc11);
    expect_as_listed(program, Model::kSequential, program.sequential);
  }
}

TEST(Litmus, NamedProgramsDoWhatIsListed) {
  const auto programs = read_litmus(PLUMB_TEST_DATA "/litmus/named.jsonl");
  ASSERT_GT(programs.size(), 50U);
  expect_all_as_listed(programs);
}

TEST(Litmus, AllSharedProgramsDoWhatIsListed) {
  const auto programs = read_litmus(PLUMB_SHARED_LITMUS "/expected.jsonl");
  if (programs.empty()) GTEST_SKIP() << "no shared litmus programs here";
  expect_all_as_listed(programs);
}

// Random programs: two to four threads, few instructions, all orders.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  LitmusProgram make() {
    LitmusProgram program{.name = "random", .locations = {"x", "y"}, .initial = {0, 0}};
    const int threads = 2 + below(3);
    orders_ = below(3);
    for (int thread = 0; thread < threads; ++thread) program.threads.emplace_back();
    const int instructions = 4 + below(3);
    for (int i = 0; i < instructions; ++i)
      program.threads[static_cast<std::size_t>(below(threads))].push_back(
          instruction("r" + std::to_string(i)));
    return program;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  std::uint8_t order(std::initializer_list<std::uint8_t> all) {
    if (orders_ == 0)
      return below(2) == 0 ? 5 : 0;  // where the order of sequentially consistent events matters
    return *(all.begin() + below(static_cast<int>(all.size())));
  }
  Instruction instruction(const std::string& reg) {
    using Kind = Instruction::Kind;
    Instruction result{.location = below(2), .value = {.number = 1 + below(2)}};
    switch (below(8)) {
      case 0:
      case 1:
        return {.kind = Kind::kLoad, .location = result.location, .order = order({0, 2, 5}), .reg = reg};
      case 2:
      case 3:
        result.kind = Kind::kStore;
        result.order = order({0, 3, 5});
        return result;
      case 4:
        return {.kind = Kind::kFence,
                .order = order({2, 3, 4, 5, 5}) == 0 ? std::uint8_t{4} : std::uint8_t{5}};
      case 5:
        result.kind = Kind::kExchange;
        break;
      case 6:
        result.kind = Kind::kAdd;
        break;
      default:
        result.kind = Kind::kCompareExchange;
        result.expected = {.number = below(2)};
        result.failure_order = order({0, 2, 5});
        break;
    }
    result.order = order({0, 2, 3, 4, 5});
    result.reg = reg;
    return result;
  }

  std::mt19937 random_;
  int orders_ = 0;
};

// How many graphs the definition would have to look at: it is slow.
double candidates_of(const LitmusProgram& program) {
  using Kind = Instruction::Kind;
  double all = 1;
  for (int location = 0; location < static_cast<int>(program.locations.size()); ++location) {
    int writes = 0;
    int reads = 0;
    for (const Code& code : program.threads) {
      for (const Instruction& what : code) {
        if (what.kind == Kind::kFence || what.location != location) continue;
        if (what.kind != Kind::kLoad) all *= ++writes;
        if (what.kind != Kind::kStore) ++reads;
      }
    }
    for (; reads > 0; --reads) all *= writes + 1;
  }
  return all;
}

// scripts/soak runs this with other seeds.
TEST(Litmus, RandomProgramsDoWhatTheDefinitionSays) {
  for (const std::uint64_t seed : plumb::test::Seeds(plumb::test::scaled(400))) {
    const LitmusProgram program = RandomProgram(static_cast<unsigned>(seed) + 1'000'003U).make();
    if (candidates_of(program) > 100'000) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Model model : {Model::kRc11, Model::kSequential})
      expect_as_listed(program, model, explore_by_definition(program, model));
    if (HasFailure()) return;
  }
}

std::size_t size_of(const LitmusProgram& program) {
  std::size_t size = 0;
  for (const Code& code : program.threads) size += code.size();
  return size;
}

// The definition itself, against what is listed.
TEST(Litmus, TheDefinitionAgreesWithTheList) {
  const auto programs = read_litmus(PLUMB_TEST_DATA "/litmus/named.jsonl");
  for (const LitmusProgram& program : programs) {
    if (size_of(program) > 5) continue;  // it is slow
    EXPECT_EQ(explore_by_definition(program, Model::kRc11).executions, program.rc11.executions)
        << program.name;
    EXPECT_EQ(explore_by_definition(program, Model::kSequential).outcomes, program.sequential.outcomes)
        << program.name;
  }
}

}  // namespace
}  // namespace plumb_tests
