// Every monitor against the definition on all small histories: every way in which the calls and returns of a
// few operations can lie in time, every choice of results, pending operations included.
//
// The counts are pinned, so that neither the enumeration nor the oracle can quietly become smaller, nor a
// monitor leave more to the search: {histories, linearizable ones, decided by the monitor alone}, by
// number of operations. With PLUMB_TEST_SCALE below 1 it is a sample of them; above 1, all of them and
// those with one operation more.
#include <array>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "support/scale.hpp"
#include "support/tiny_compare.hpp"
#include "support/tiny_enumerate.hpp"

namespace plumb {
namespace {

using test::TinyComparison;
using test::TinyCounts;
using test::TinyHistory;
using test::TinyLetter;
using test::TinyObject;
using Choice = std::vector<std::size_t>;  // letters, ascending

// Compares a fixed share of the histories that it is shown.
class Sampled {
 public:
  Sampled(const TinyObject& object, double share) : comparison_(object), share_(share) {}

  void operator()(const TinyHistory& history) {
    if (!::testing::Test::HasFatalFailure() && test::in_sample(seen_++, share_)) comparison_.look(history);
  }
  [[nodiscard]] TinyCounts counts() const { return comparison_.counts(); }

 private:
  TinyComparison comparison_;
  double share_;
  std::uint64_t seen_ = 0;
};

// Each letter no earlier than its last occurrence before: they are interchangeable.
Choice in_order_of_letters(const Choice& choice) {
  Choice first_of(choice.size());
  for (std::size_t i = 0; i < choice.size(); ++i)
    first_of[i] = i > 0 && choice[i - 1] == choice[i] ? i - 1 : i;
  return first_of;
}

// All histories of exactly `count` of the letters, if `wanted`; `order` says which operations are
// interchangeable.
template <class Wanted, class Order>
TinyCounts compare_all(const TinyObject& object, const std::vector<TinyLetter>& letters, std::size_t count,
                       double share, Wanted wanted, Order order) {
  Sampled sampled(object, share);
  test::TinyPlacements placements(std::ref(sampled));
  test::TinyChoices choices(letters, [&](const Choice& choice) {
    if (!wanted(choice)) return;
    std::vector<TinyLetter> chosen;
    for (const std::size_t letter : choice) chosen.push_back(letters[letter]);
    placements.run(chosen, order(choice));
  });
  choices.run(count);
  return sampled.counts();
}

void expect_counts(std::size_t operations, const TinyCounts& counts, const TinyCounts& expected) {
  if (::testing::Test::HasFatalFailure() || test::test_scale() != 1) return;
  EXPECT_EQ(counts, expected) << operations << " operations";
}

bool is_soak() { return test::test_scale() > 1; }

// Sanitizers are slow: few will do.
double share_of(double everyday) {
  const double scale = test::test_scale();
  return is_soak() ? 1.0 : everyday * scale * scale;
}

// Queue, stack and priority queue, with three values. Letters 0 … 2 insert them, 3 … 5 remove them, 6 finds
// nothing, 7 is a removal that does not return.
struct Collection {
  std::string_view model;
  bool ordered;         // the values differ
  double share_of_six;  // of the histories of six operations, everyday
  std::array<TinyCounts, 6> expected;
  friend void PrintTo(const Collection& c, std::ostream* out) { *out << c.model; }
};

class ExhaustiveCollection : public ::testing::TestWithParam<Collection> {
 protected:
  static constexpr std::size_t kValues = 3;

  static std::vector<TinyLetter> letters() {
    std::vector<TinyLetter> all;
    for (std::int8_t v = 1; v <= 3; ++v) all.push_back({.call = {0, v}, .may_pend = true, .most = 1});
    for (std::int8_t v = 1; v <= 3; ++v) all.push_back({.call = {1, 0}, .result = v, .most = 2});
    all.push_back({.call = {1, 0}, .result = test::kNothing});
    all.push_back({.call = {1, 0}, .may_return = false, .may_pend = true});
    return all;
  }

  // How often value v is inserted and removed.
  static std::pair<std::size_t, std::size_t> uses(const Choice& choice, std::size_t v) {
    return {std::ranges::count(choice, v), std::ranges::count(choice, kValues + v)};
  }

  // Names are used from the first on, and by what happens to the values where these do not differ otherwise.
  // Removals of what is not there are only tried among few operations: they are wrong whatever else happens.
  bool wanted(const Choice& choice) const {
    for (std::size_t v = 0; v < kValues; ++v) {
      const auto [inserted, removed] = uses(choice, v);
      if (choice.size() > 4 && removed > inserted) return false;
      if (v == 0) continue;
      const auto before = uses(choice, v - 1);
      const bool in_order = GetParam().ordered ? before.first + before.second > 0 || inserted + removed == 0
                                               : before >= uses(choice, v);
      if (!in_order) return false;
    }
    return true;
  }

  [[nodiscard]] Choice order(const Choice& choice) const {
    Choice first_of = in_order_of_letters(choice);
    for (std::size_t i = 1; i < choice.size() && !GetParam().ordered; ++i) {
      const bool both_inserted = choice[i] < kValues && choice[i - 1] + 1 == choice[i];
      if (both_inserted && uses(choice, choice[i]) == uses(choice, choice[i - 1])) first_of[i] = i - 1;
    }
    return first_of;
  }

  TinyCounts compare(std::size_t count, double share) const {
    return compare_all(
        test::tiny_object(GetParam().model), letters(), count, share,
        [&](const Choice& c) { return wanted(c); }, [&](const Choice& c) { return order(c); });
  }
};

TEST_P(ExhaustiveCollection, AgreesWithTheDefinition) {
  for (std::size_t n = 1; n <= 6; ++n) {
    expect_counts(n, compare(n, share_of(n == 6 ? GetParam().share_of_six : 1)), GetParam().expected[n - 1]);
  }
  if (is_soak()) compare(7, 1);
}

INSTANTIATE_TEST_SUITE_P(Monitors, ExhaustiveCollection,
                         ::testing::Values(Collection{"queue",
                                                      false,
                                                      1,
                                                      {{{5, 4, 5},
                                                        {39, 21, 39},
                                                        {477, 152, 474},
                                                        {7412, 1358, 7343},
                                                        {33846, 15240, 32381},
                                                        {548302, 203130, 521752}}}},
                                           Collection{"stack",
                                                      false,
                                                      1,
                                                      {{{5, 4, 5},
                                                        {39, 21, 39},
                                                        {477, 156, 474},
                                                        {7412, 1451, 7339},
                                                        {33846, 16560, 32154},
                                                        {548302, 220489, 513828}}}},
                                           Collection{"priority-queue",
                                                      true,
                                                      0.25,
                                                      {{{5, 4, 5},
                                                        {46, 23, 46},
                                                        {840, 228, 837},
                                                        {18902, 2806, 18777},
                                                        {101230, 39831, 96058},
                                                        {490966, 154990, 456089}}}}),
                         [](const auto& tested) { return std::string(tested.param.model.substr(0, 5)); });

// One letter for each thing that can be done to the object and each result.
struct Alphabet {
  std::string_view model;
  std::vector<TinyLetter> letters;
  std::vector<TinyCounts> expected;
  friend void PrintTo(const Alphabet& a, std::ostream* out) { *out << a.model; }
};

class ExhaustiveAlphabet : public ::testing::TestWithParam<Alphabet> {};

TEST_P(ExhaustiveAlphabet, AgreesWithTheDefinition) {
  const Alphabet& a = GetParam();
  for (std::size_t n = 1; n <= a.expected.size() + (is_soak() ? 1 : 0); ++n) {
    const TinyCounts counts = compare_all(
        test::tiny_object(a.model), a.letters, n, share_of(1), [](const Choice&) { return true; },
        in_order_of_letters);
    if (n <= a.expected.size()) expect_counts(n, counts, a.expected[n - 1]);
  }
}

constexpr TinyLetter completed(std::uint8_t operation, std::int8_t argument, test::TinyResult result) {
  return {.call = {operation, argument}, .result = result};
}
constexpr TinyLetter pending(std::uint8_t operation, std::int8_t argument) {
  return {.call = {operation, argument}, .may_return = false, .may_pend = true};
}
constexpr TinyLetter write(std::int8_t value) { return {.call = {1, value}, .may_pend = true, .most = 1}; }

const std::vector<TinyLetter> kSet = {completed(0, 1, 0), completed(0, 1, 1), completed(1, 1, 0),
                                      completed(1, 1, 1), completed(2, 1, 0), completed(2, 1, 1),
                                      pending(0, 1),      pending(1, 1)};
const std::vector<TinyLetter> kMultiset = {{.call = {0, 1}, .may_pend = true},
                                           completed(1, 1, 1),
                                           completed(1, 1, 0),
                                           completed(2, 1, 1),
                                           pending(1, 1)};
const std::vector<TinyLetter> kMemory = {completed(0, 0, 0),
                                         completed(0, 0, 1),
                                         completed(0, 0, 2),
                                         completed(0, 0, 3),
                                         write(1),
                                         write(2),
                                         write(3)};
const std::vector<TinyLetter> kCounter = {completed(0, 1, 0), completed(0, 1, 1), completed(0, 1, 2),
                                          completed(0, 2, 0), completed(0, 2, 1), completed(1, 0, 0),
                                          completed(1, 0, 1), completed(1, 0, 2), completed(1, 0, 3)};

INSTANTIATE_TEST_SUITE_P(
    Monitors, ExhaustiveAlphabet,
    ::testing::Values(
        Alphabet{"set",
                 kSet,
                 {{8, 5, 8}, {84, 35, 84}, {1224, 367, 1224}, {22966, 5297, 22966}, {526316, 98055, 526316}}},
        Alphabet{"multiset",
                 kMultiset,
                 {{6, 4, 4}, {46, 24, 21}, {482, 211, 155}, {6465, 2483, 1547}, {105560, 36297, 19723}}},
        Alphabet{
            "register",
            kMemory,
            {{10, 7, 10}, {110, 47, 110}, {1572, 407, 1572}, {27569, 4324, 27569}, {569899, 53501, 569899}}},
        Alphabet{"map", kMemory, {{10, 7, 10}, {110, 47, 110}, {1572, 407, 1572}, {27569, 4324, 27569}}},
        Alphabet{"counter", kCounter, {{9, 3, 9}, {126, 16, 126}, {2514, 116, 2514}, {65106, 1043, 65106}}}),
    [](const auto& tested) { return std::string(tested.param.model); });

// Collections that may hold a value twice: what the monitors leave, frontiers decide.
const std::vector<TinyLetter> kRepeated = {{.call = {0, 1}, .may_pend = true},
                                           {.call = {0, 2}, .may_pend = true},
                                           completed(1, 0, 1),
                                           completed(1, 0, 2),
                                           completed(1, 0, test::kNothing),
                                           pending(1, 0)};

INSTANTIATE_TEST_SUITE_P(
    RepeatedValues, ExhaustiveAlphabet,
    ::testing::Values(
        Alphabet{"queue",
                 kRepeated,
                 {{8, 6, 8}, {78, 45, 66}, {1026, 462, 692}, {17161, 6190, 8988}, {347829, 102284, 138928}}},
        Alphabet{"stack",
                 kRepeated,
                 {{8, 6, 8}, {78, 45, 66}, {1026, 470, 692}, {17161, 6436, 8980}, {347829, 109242, 138628}}},
        Alphabet{"priority-queue",
                 kRepeated,
                 {{8, 6, 8}, {78, 45, 66}, {1026, 463, 692}, {17161, 6207, 8951}, {347829, 102440, 138351}}}),
    [](const auto& tested) { return std::string(tested.param.model.substr(0, 5)); });

// A mutex: two processes with up to three operations each; three with up to two, none of which contradicts
// itself. The letters stand process by process.
class ExhaustiveMutex : public ::testing::Test {
 protected:
  static std::vector<std::vector<TinyLetter>> runs(std::size_t most) {
    const std::array kinds = {completed(0, 0, 0), completed(1, 0, 0), completed(2, 0, 0), completed(2, 0, 1)};
    std::vector<std::vector<TinyLetter>> all = {{}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].size() == most) continue;
      for (const TinyLetter& kind : kinds) {
        std::vector<TinyLetter> longer = all[i];
        longer.push_back(kind);
        all.push_back(std::move(longer));
      }
    }
    return all;
  }

  // It acquires and releases in turn.
  static bool is_consistent(const std::vector<TinyLetter>& run) {
    bool holds = false;
    return std::ranges::all_of(run, [&](const TinyLetter& letter) {
      if (letter.call.operation == 2 && letter.result == 0) return true;
      return std::exchange(holds, !holds) == (letter.call.operation == 1);
    });
  }

  // What each process does, chosen so that those that do the same are not told apart.
  static TinyCounts compare(std::size_t processes, const std::vector<std::vector<TinyLetter>>& all) {
    Sampled sampled(test::tiny_object("mutex"), share_of(1));
    test::TinyPlacements placements(std::ref(sampled));
    const std::vector<TinyLetter> which(all.size());
    test::TinyChoices choices(which, [&](const Choice& choice) {
      std::vector<TinyLetter> letters;
      Choice first_of;
      for (std::size_t p = 0; p < processes; ++p) {
        for (TinyLetter letter : all[choice[p]]) {
          letter.process = static_cast<int>(p);
          first_of.push_back(letters.size());
          letters.push_back(letter);
        }
      }
      if (!letters.empty()) placements.run(letters, first_of);
    });
    choices.run(processes);
    return sampled.counts();
  }
};

TEST_F(ExhaustiveMutex, TwoProcesses) { expect_counts(6, compare(2, runs(3)), {345002, 4518, 345002}); }

TEST_F(ExhaustiveMutex, ThreeProcesses) {
  auto all = runs(is_soak() ? 3 : 2);
  std::erase_if(all, [](const auto& run) { return !is_consistent(run); });
  expect_counts(6, compare(3, all), {204744, 18472, 204744});
}

}  // namespace
}  // namespace plumb
