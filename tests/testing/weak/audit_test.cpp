// Audits of memory orders of small structures, for each line of which it is known whether its order is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/audit.hpp>
#include <plumb/plumb.hpp>

#include <atomic>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/step.hpp"
#include "testing/weak/weak_subjects.hpp"
#include "testing/weaker_orders.hpp"

namespace {

using namespace plumb_tests;
using plumb::AccessKind;
using plumb::OrderVerdict;
using plumb::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string word(std::memory_order order) {
  return plumb::runtime::order_name(static_cast<std::uint8_t>(order));
}

// "store release needed", "load acquire not-needed relaxed", by file and line.
std::vector<std::string> rows(const plumb::OrderAudit& audit) {
  std::vector<std::string> texts;
  for (const auto& each : audit.orders) {
    std::string text =
        fmt::format("{} {} {}", to_string(each.access), word(each.order), to_string(each.verdict));
    if (each.enough) text += " " + word(*each.enough);
    texts.push_back(std::move(text));
  }
  return texts;
}

plumb::TestOptions small(std::size_t threads = 2, std::size_t operations = 2) {
  return {.threads = threads, .operations = operations, .budget = plumb::Seconds(500), .jobs = 1};
}

template <class S>
plumb::OrderAudit push_and_pop(const plumb::TestOptions& options = small()) {
  return plumb::audit_orders<S>(
      [](auto& test) {
        test.operation("push", &S::push, plumb::values(1, 2));
        test.operation("pop", &S::pop);
        test.allow_leaks();
      },
      options, "Subject");
}

// Nodes are never used again, so what the compare-exchange of pop takes was acquired by the load before.
TEST(OrderAudit, OfAStack) {
  const auto audit = push_and_pop<WeakStack<>>();
  EXPECT_EQ(audit.verdict, Outcome::kHolds) << audit.report;
  EXPECT_TRUE(audit.exhausted);
  EXPECT_THAT(rows(audit), ElementsAre("update release needed", "load acquire needed",
                                       "update acquire not-needed relaxed", "failure acquire needed"))
      << audit.report;
  EXPECT_THAT(audit.report, HasSubstr("weak_subjects.hpp"));
  EXPECT_THAT(audit.report, HasSubstr("with relaxed: race in push(1) | pop()"));
}

// What the second loads return, and the load of tail in pop, is only compared.
TEST(OrderAudit, OfAQueue) {
  const auto audit = push_and_pop<WeakQueue<>>(small(3, 1));
  EXPECT_THAT(
      rows(audit),
      ElementsAre("load acquire needed", "load acquire needed", "load acquire not-needed relaxed",
                  "update release needed", "update release needed", "update release needed",
                  "load acquire needed", "load acquire not-needed relaxed", "load acquire needed",
                  "load acquire not-needed relaxed", "update release needed", "update release needed"))
      << audit.report;
}

TEST(OrderAudit, OfASpinLock) {
  const auto audit = plumb::audit_orders<SpinLockCounter<>>(
      [](auto& test) { test.operation("increment", &SpinLockCounter<>::increment); }, small());
  EXPECT_THAT(rows(audit), ElementsAre("update acquire needed", "store release needed")) << audit.report;
}

// In rings of eight nobody finds it full, so it does not matter what a producer knows of the consumer.
TEST(OrderAudit, OfARing) {
  const auto audit = plumb::audit_orders<SpscRing<>>(
      [](auto& test) {
        test.operation("push", &SpscRing<>::push, plumb::values(1, 2)).one_thread("producer");
        test.operation("pop", &SpscRing<>::pop).one_thread("consumer");
      },
      small());
  EXPECT_THAT(rows(audit), ElementsAre("load acquire not-needed relaxed", "store release needed",
                                       "load acquire needed", "store release not-needed relaxed"))
      << audit.report;
  EXPECT_THAT(audit.report, HasSubstr("Each was weakened by itself"));
}

TEST(OrderAudit, OfASequenceLock) {
  const auto audit = plumb::audit_orders<SeqLock<>>(
      [](auto& test) {
        test.operation("write", &SeqLock<>::write, plumb::values(1, 2)).one_thread("writer");
        test.operation("read", &SeqLock<>::read);
      },
      small());
  EXPECT_THAT(rows(audit), ElementsAre("fence release needed", "store release needed", "load acquire needed",
                                       "fence acquire needed"))
      << audit.report;
}

// All that these classes hold is atomic: an order that is too weak shows in what they return, not as a race.
void expect_wrong_results(const plumb::OrderAudit& audit) {
  EXPECT_EQ(audit.verdict, Outcome::kHolds) << audit.report;
  EXPECT_TRUE(audit.exhausted) << audit.report;
  for (const auto& order : audit.orders) {
    for (const auto& trial : order.trials) {
      if (trial.kind) EXPECT_EQ(*trial.kind, plumb::ViolationKind::kNotLinearizable) << audit.report;
    }
  }
}

// Who gets the last item is decided by the exchange of top itself, and the fence behind its load acquires what that saw.
TEST(OrderAudit, OfADeque) {
  const auto audit = plumb::audit_orders<ChaseLevDeque<>>(
      [](auto& test) {
        test.operation("push", &ChaseLevDeque<>::push, plumb::values(1, 2)).one_thread("owner");
        test.operation("take", &ChaseLevDeque<>::take).one_thread("owner");
        test.operation("steal", &ChaseLevDeque<>::steal);
        test.before(plumb::call("push", 1));
        test.before(plumb::call("push", 2));
      },
      small());
  expect_wrong_results(audit);
  EXPECT_THAT(rows(audit),
              ElementsAre("fence release needed", "fence seq_cst needed", "update seq_cst not-needed relaxed",
                          "load acquire not-needed relaxed", "fence seq_cst needed", "load acquire needed",
                          "update seq_cst not-needed relaxed"))
      << audit.report;
}

// Of the loads, which stand at one line, that of the turn alone could be weaker (tests/explore/weak/mutants.hpp).
TEST(OrderAudit, OfPetersonsLock) {
  using Peterson = PetersonCounter<>;
  const auto audit = plumb::audit_orders<Peterson>(
      [](auto& test) {
        test.operation("first", &Peterson::first).one_thread("first");
        test.operation("second", &Peterson::second).one_thread("second");
      },
      small());
  expect_wrong_results(audit);
  EXPECT_THAT(rows(audit), ElementsAre("store seq_cst needed", "store seq_cst needed", "load seq_cst needed",
                                       "store seq_cst not-needed release"))
      << audit.report;
}

TEST(OrderAudit, ShowsWrongResultsWhereNothingRaces) {
  expect_wrong_results(push_and_pop<WeakStack<kRelease, kAcquire, FromPool>>());
  expect_wrong_results(push_and_pop<WeakQueue<kAcquire, kRelease, kRelease, FromPool>>(small(2, 1)));
  expect_wrong_results(plumb::audit_orders<SpinLockCounter<>>(
      [](auto& test) { test.operation("increment", &SpinLockCounter<>::increment); }, small()));
  expect_wrong_results(plumb::audit_orders<SeqLock<>>(
      [](auto& test) {
        test.operation("write", &SeqLock<>::write, plumb::values(1, 2)).one_thread("writer");
        test.operation("read", &SeqLock<>::read);
      },
      small()));
}

// Sequential consistency where release and acquire are enough, and where they are not.
TEST(OrderAudit, FindsTheWeakestOrderThatIsEnough) {
  const auto stack = push_and_pop<WeakStack<kSeqCst, kSeqCst>>();
  EXPECT_THAT(rows(stack),
              ElementsAre("update seq_cst not-needed release", "load seq_cst not-needed acquire",
                          "update seq_cst not-needed relaxed", "failure seq_cst not-needed acquire"))
      << stack.report;
  using Peterson = PetersonCounter<>;
  const auto lock = plumb::audit_orders<Peterson>(
      [](auto& test) {
        test.operation("first", &Peterson::first).one_thread("first");
        test.operation("second", &Peterson::second).one_thread("second");
      },
      small(2, 1));
  // The loads are at one line; that of the turn alone would not have to be sequentially consistent.
  EXPECT_THAT(rows(lock), ElementsAre("store seq_cst needed", "store seq_cst needed", "load seq_cst needed",
                                      "store seq_cst not-needed release"))
      << lock.report;
}

TEST(OrderAudit, RepairsWhatIsTooWeakAndGoesOn) {
  const auto audit = push_and_pop<WeakStack<kRelaxed>>();
  EXPECT_EQ(audit.verdict, Outcome::kViolation);
  EXPECT_THAT(rows(audit), ElementsAre("update relaxed too-weak release", "load acquire needed",
                                       "update acquire not-needed relaxed", "failure acquire needed"))
      << audit.report;
  EXPECT_THAT(audit.report, HasSubstr("TOO WEAK    race in push(1) | pop(); release is enough"));
}

// Two threads that read a counter and then store it lose an increment, whatever the orders are.
struct TornCounter {
  std::atomic<int> n{0};
  int increment() {
    const int seen = n.load(kAcquire);
    n.store(seen + 1, kRelease);
    return seen;
  }
};

TEST(OrderAudit, SaysWhenNoOrderIsToBlame) {
  const auto audit = plumb::audit_orders<TornCounter>(
      [](auto& test) { test.operation("increment", &TornCounter::increment); }, small());
  EXPECT_EQ(audit.verdict, Outcome::kViolation);
  EXPECT_THAT(audit.orders, IsEmpty());
  EXPECT_THAT(audit.report, HasSubstr("not audited"));
  EXPECT_THAT(audit.report, HasSubstr("stronger ones do not repair it"));
}

TEST(OrderAudit, OfALockHasNothingToWeaken) {
  const auto audit = plumb::audit_orders<MutexRegister>(
      [](auto& test) { test.operation("exchange", &MutexRegister::exchange, plumb::values(1)); }, small());
  EXPECT_EQ(audit.verdict, Outcome::kHolds) << audit.report;
  EXPECT_THAT(audit.orders, IsEmpty());
  EXPECT_THAT(audit.report, HasSubstr("threads used none that could be weaker"));
}

// Nothing is needless because nobody had the time to look.
TEST(OrderAudit, LeavesOpenWhatTheBudgetDoesNotReach) {
  plumb::TestOptions options = small();
  options.explore.executions = 1;
  const auto audit = push_and_pop<WeakStack<>>(options);
  EXPECT_EQ(audit.verdict, Outcome::kUnknown) << audit.report;
  EXPECT_FALSE(audit.exhausted);
  for (const auto& each : audit.orders) EXPECT_NE(each.verdict, OrderVerdict::kNotNeeded) << audit.report;
}

TEST(OrderAudit, ShowsItAgain) {
  const auto define = [](auto& test) {
    test.operation("increment", &SpinLockCounter<>::increment);
    test.scenario({{plumb::call("increment")}, {plumb::call("increment")}});
  };
  const auto audit = plumb::audit_orders<SpinLockCounter<>>(define, small(), "Lock");
  ASSERT_THAT(audit.orders, SizeIs(2)) << audit.report;
  const plumb::AuditedOrder& lock = audit.orders.front();
  ASSERT_THAT(lock.trials, SizeIs(1));
  EXPECT_THAT(lock.trials.front().replay, HasSubstr("--order weak_subjects.hpp:"));
  plumb::TestOptions again = small();
  again.explore.orders = {{.file = "weak_subjects.hpp",
                           .line = lock.place.line,
                           .kind = AccessKind::kUpdate,
                           .order = kRelaxed,
                           .instead_of = kAcquire}};
  const std::string& arguments = lock.trials.front().replay;
  again.replay = arguments.substr(arguments.find("--replay ") + 9);
  const auto result = plumb::check<SpinLockCounter<>>(define, again, "Lock");
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  again.explore.orders.clear();
  EXPECT_NE(plumb::check<SpinLockCounter<>>(define, again, "Lock").kind,
            plumb::ViolationKind::kNotLinearizable);
}

TEST(OrderAudit, AsJson) {
  const auto audit = push_and_pop<WeakStack<kRelaxed>>();
  const std::string json = audit.json();
  EXPECT_THAT(json,
              HasSubstr(R"("test":"Subject","audit":"orders","verdict":"violation","memory_model":"rc11")"));
  EXPECT_THAT(json,
              HasSubstr(R"("access":"update","order":"relaxed","verdict":"too-weak","enough":"release")"));
  EXPECT_THAT(json, HasSubstr(R"json("scenario":[["push(1)"],["pop()"]])json"));
  EXPECT_THAT(json, Not(HasSubstr("\n")));
}

// Each verdict stands in the row of its line of the source.
TEST(OrderAudit, AsAPageBesideTheSource) {
  plumb::TestOptions options = small();
  options.program = "./a&b";
  const auto audit = push_and_pop<WeakStack<kRelaxed>>(options);
  const std::string page = audit.page();
  for (const auto& each : audit.orders) {
    const std::string number = fmt::format("<td class=\"number\">{}</td>", each.place.line);
    ASSERT_THAT(page, HasSubstr(number));
    const std::size_t at = page.find(number);
    const std::string row = page.substr(at, page.find("</tr>", at) - at);
    EXPECT_THAT(row, HasSubstr(fmt::format("<span class=\"pill {}\">", to_string(each.verdict))));
    EXPECT_THAT(row, HasSubstr(fmt::format("<b>{}</b>", word(each.order))));
  }
  EXPECT_THAT(
      page,
      HasSubstr("<td class=\"code\">    } while (!head.compare_exchange_weak(top, node, kPush, kRelaxed));"));
  EXPECT_THAT(page, HasSubstr("race in push(1) | pop(); release is enough"));
  EXPECT_THAT(page, HasSubstr("&#39;./a&amp;b&#39; --order weak_subjects.hpp:"));
}

TEST(OrderAudit, APageOfWhatCouldNotBeAudited) {
  const auto audit = plumb::audit_orders<WeakStack<>>([](auto&) {}, small());
  EXPECT_THAT(audit.page(), HasSubstr("not audited"));
  EXPECT_THAT(audit.page(), HasSubstr("the test names no operations"));
}

TEST(OrderAudit, OfATestThatCannotBeRun) {
  const auto audit = plumb::audit_orders<WeakStack<>>([](auto&) {}, small());
  EXPECT_TRUE(audit.refused);
  EXPECT_THAT(audit.report, HasSubstr("the test names no operations"));
}

// An order of the test's own choice, without an audit.
TEST(OtherOrders, AreThoseOfATest) {
  const auto define = [](auto& test) { test.operation("increment", &SpinLockCounter<>::increment); };
  const auto audit = plumb::audit_orders<SpinLockCounter<>>(define, small());
  ASSERT_THAT(audit.orders, SizeIs(2));
  plumb::TestOptions options = small();
  options.only_small = true;
  options.explore.orders = {{.file = "testing/weak/weak_subjects.hpp",
                             .line = audit.orders.back().place.line,
                             .kind = AccessKind::kStore,
                             .order = kSeqCst}};
  EXPECT_TRUE(plumb::check<SpinLockCounter<>>(define, options).passed());
  options.explore.orders.front().order = kRelaxed;
  const auto found = plumb::check<SpinLockCounter<>>(define, options);
  EXPECT_EQ(found.kind, plumb::ViolationKind::kNotLinearizable) << found.report;
  options.explore.orders.front().line = 1;
  const auto unmet = plumb::check<SpinLockCounter<>>(define, options);
  EXPECT_TRUE(unmet.refused);
  EXPECT_THAT(unmet.message, HasSubstr("weak_subjects.hpp:1:store=relaxed was of no use"));
}

TEST(WeakerOrders, OfEachAccess) {
  using plumb::testing::weaker_orders;
  EXPECT_THAT(weaker_orders(AccessKind::kLoad, kSeqCst), ElementsAre(kRelaxed, kAcquire));
  EXPECT_THAT(weaker_orders(AccessKind::kFailure, kAcquire), ElementsAre(kRelaxed));
  EXPECT_THAT(weaker_orders(AccessKind::kStore, kSeqCst), ElementsAre(kRelaxed, kRelease));
  EXPECT_THAT(weaker_orders(AccessKind::kUpdate, kAcqRel), ElementsAre(kRelaxed, kAcquire, kRelease));
  EXPECT_THAT(weaker_orders(AccessKind::kUpdate, kRelease), ElementsAre(kRelaxed));
  EXPECT_THAT(weaker_orders(AccessKind::kFence, kSeqCst), ElementsAre(kRelaxed, kAcquire, kRelease, kAcqRel));
  EXPECT_THAT(weaker_orders(AccessKind::kLoad, kRelaxed), IsEmpty());
  EXPECT_THAT(weaker_orders(AccessKind::kLoad, std::memory_order_consume), ElementsAre(kRelaxed));
}

}  // namespace
