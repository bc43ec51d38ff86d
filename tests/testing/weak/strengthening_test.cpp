// Adding edges of a client to finished executions, against clients that are run as code: each thread has a location that it stores to with
// release after every operation, and before each operation the others' are loaded with acquire. Both must come to the same histories
// with the most order; and what the relations between operations say of a set of edges must be what the whole graph says.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "explore/observer.hpp"
#include "plumb/test_values.hpp"
#include "testing/strengthening.hpp"
#include "testing/weak/weak_subjects.hpp"

namespace plumb::testing {
namespace {

using namespace plumb_tests;

// Results, and who comes before whom.
struct Outcome {
  std::vector<int> results;
  Predecessors predecessors;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a literal 0
  auto operator<=>(const Outcome&) const = default;

  [[nodiscard]] bool has_less_order_than(const Outcome& other) const {
    if (results != other.results || predecessors == other.predecessors) return false;
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
      if ((predecessors[i] & ~other.predecessors[i]) != 0) return false;
    }
    return true;
  }
};
using Outcomes = std::set<Outcome>;

Outcomes most_ordered(const Outcomes& all) {
  Outcomes most;
  for (const Outcome& each : all) {
    if (std::none_of(all.begin(), all.end(), [&](const Outcome& o) { return each.has_less_order_than(o); }))
      most.insert(each);
  }
  return most;
}

// Nobody asks for a witness.
class NoWitnesses final : public Witnesses {
  std::optional<Witness> find(const Predecessors&, std::optional<std::size_t>) override {
    return std::nullopt;
  }
  OperationSet bound(const Predecessors&, std::optional<std::size_t>, const Witness&) override { return 0; }
};

template <class S>
using Call = int (*)(S&);
template <class S>
using Threads = std::vector<std::vector<Call<S>>>;

enum class ClientKind { kFree, kPerThread, kOneClock };

constexpr std::size_t kMost = 8;

struct Client {
  std::array<std::atomic<int>, 4> done{};
  std::atomic<int> clock{0};
  ClientKind kind;

  explicit Client(ClientKind its) : kind(its) {}
  void before(std::size_t self, std::size_t threads) {
    if (kind == ClientKind::kOneClock) (void)clock.load(kAcquire);
    if (kind != ClientKind::kPerThread) return;
    for (std::size_t other = 0; other < threads; ++other) {
      if (other != self) (void)done[other].load(kAcquire);
    }
  }
  void after(std::size_t self, int count) {
    if (kind == ClientKind::kOneClock) clock.fetch_add(1, kRelease);
    if (kind == ClientKind::kPerThread) done[self].store(count, kRelease);
  }
};

// Collects what executions come to; of free clients every set of edges.
class Collector final : public engine::Observer {
 public:
  Collector(std::vector<std::size_t> thread_of, bool is_free)
      : thread_of_(std::move(thread_of)), is_free_(is_free) {}

  std::array<int, kMost> results{};
  Outcomes outcomes;
  std::size_t sets = 0;

  std::optional<std::string> judge(const engine::FinishedExecution& execution) override {
    const auto relations = execution.client_relations();
    NoWitnesses none;
    const OperationSet all = (OperationSet{1} << thread_of_.size()) - 1;
    Strengthening strengthening(relations, all, all, none,
                                [&](auto edges) { return execution.allows(edges); });
    if (!is_free_) {
      add(strengthening.predecessors({}));
      return std::nullopt;
    }
    std::vector<ClientEdge> pairs;
    for (std::uint32_t a = 0; a < thread_of_.size(); ++a) {
      for (std::uint32_t b = 0; b < thread_of_.size(); ++b) {
        if (thread_of_[a] != thread_of_[b]) pairs.push_back({.from = a, .to = b});
      }
    }
    for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << pairs.size(); ++chosen) {
      std::vector<ClientEdge> edges;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if ((chosen >> i & 1U) != 0) edges.push_back(pairs[i]);
      }
      ++sets;
      const bool allowed = execution.allows(edges);
      const bool consistent = strengthening.is_consistent(edges);
      const bool same =
          execution.has_seq_cst_in_two_threads() ? consistent || !allowed : consistent == allowed;
      if (!same) return "the relations and the graph disagree on a client";
      if (allowed) add(strengthening.predecessors(edges));
    }
    return std::nullopt;
  }

 private:
  void add(const Predecessors& predecessors) {
    outcomes.insert(
        {{results.begin(), results.begin() + static_cast<std::ptrdiff_t>(thread_of_.size())}, predecessors});
  }

  std::vector<std::size_t> thread_of_;
  bool is_free_;
};

struct Explored {
  Outcomes outcomes;
  std::uint64_t executions = 0;
  std::size_t sets = 0;
};

template <class S>
Explored explore_with(const Threads<S>& threads, ClientKind kind) {
  std::vector<std::size_t> thread_of;
  for (std::size_t thread = 0; thread < threads.size(); ++thread)
    thread_of.insert(thread_of.end(), threads[thread].size(), thread);
  Collector collector(thread_of, kind == ClientKind::kFree);
  const auto program = [&](Program& p) {
    S subject;
    Client client(kind);
    std::uint32_t first = 0;
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      p.thread([&, thread, first] {
        for (std::size_t i = 0; i < threads[thread].size(); ++i) {
          const auto operation = static_cast<std::uint32_t>(first + i);
          client.before(thread, threads.size());
          engine::call_operation(operation);
          const int result = threads[thread][i](subject);
          engine::return_from_operation(operation, 0);
          {
            const test::UninstrumentedScope scope;
            collector.results[operation] = result;
          }
          client.after(thread, static_cast<int>(i) + 1);
        }
      });
      first += static_cast<std::uint32_t>(threads[thread].size());
    }
    p.run();
  };
  ExploreOptions options;
  options.memory_model = MemoryModel::kRc11;
  options.leaks = false;
  const Exploration found =
      engine::explore(program, options, collector, engine::ExplorationMode::kConcurrent);
  EXPECT_TRUE(found.passed()) << found.text();
  return {most_ordered(collector.outcomes), found.executions, collector.sets};
}

template <class S>
void expect_same(const Threads<S>& threads) {
  const Explored free = explore_with(threads, ClientKind::kFree);
  const Explored code = explore_with(threads, ClientKind::kPerThread);
  EXPECT_EQ(free.outcomes, code.outcomes);
  EXPECT_LE(free.executions, code.executions);
}

// Every scenario of two threads with two of these each, and of three threads with one.
template <class S>
void expect_same_in_all(const std::vector<Call<S>>& calls) {
  std::vector<std::vector<Call<S>>> pairs;
  for (const auto one : calls) {
    for (const auto other : calls) pairs.push_back({one, other});
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = i; j < pairs.size(); ++j) {
      SCOPED_TRACE(std::to_string(i) + ", " + std::to_string(j));
      expect_same<S>({pairs[i], pairs[j]});
    }
  }
  for (const auto a : calls) {
    for (const auto b : calls) expect_same<S>({{calls[0]}, {a}, {b}});
  }
}

template <class S>
int push(S& subject) {
  subject.push(1);
  return 0;
}
template <class S>
int push_2(S& subject) {
  subject.push(2);
  return 0;
}
template <class S>
int pop(S& subject) {
  return subject.pop();
}

TEST(Strengthening, StackWithReleaseAndAcquire) {
  using S = WeakStack<>;
  expect_same_in_all<S>({push<S>, pop<S>});
  expect_same<S>({{push<S>, pop<S>}, {push_2<S>, pop<S>}});
}

TEST(Strengthening, StackWithRelaxedOrders) {
  using S = WeakStack<kRelaxed, kAcquire, FromPool>;
  expect_same<S>({{push<S>, pop<S>}, {push_2<S>, pop<S>}});
  expect_same<S>({{push<S>, push_2<S>}, {pop<S>, pop<S>}});
}

TEST(Strengthening, StackWithSeqCst) {
  using S = WeakStack<kSeqCst, kSeqCst>;
  expect_same<S>({{push<S>, pop<S>}, {push_2<S>, pop<S>}});
  expect_same<S>({{push<S>, pop<S>}, {pop<S>}});
}

TEST(Strengthening, Queue) {
  using S = WeakQueue<>;
  expect_same<S>({{push<S>, pop<S>}, {push_2<S>, pop<S>}});
  expect_same<S>({{push<S>, pop<S>}, {pop<S>}});
  expect_same<S>({{push<S>, push_2<S>}, {pop<S>, pop<S>}});
}

template <class S>
const std::vector<Call<S>> kRegisterCalls = {
    [](S& s) { return s.write_x(), 0; }, [](S& s) { return s.write_y(), 0; }, [](S& s) { return s.read_x(); },
    [](S& s) { return s.read_y(); }};

TEST(Strengthening, Registers) { expect_same_in_all<WeakRegisters<>>(kRegisterCalls<WeakRegisters<>>); }
TEST(Strengthening, RelaxedRegisters) {
  expect_same_in_all<WeakRegisters<kRelaxed, kRelaxed>>(kRegisterCalls<WeakRegisters<kRelaxed, kRelaxed>>);
}
TEST(Strengthening, SeqCstRegisters) {
  expect_same_in_all<WeakRegisters<kSeqCst, kSeqCst>>(kRegisterCalls<WeakRegisters<kSeqCst, kSeqCst>>);
}
TEST(Strengthening, RegistersWithSeqCstLoadsOnly) {
  expect_same_in_all<WeakRegisters<kRelease, kSeqCst>>(kRegisterCalls<WeakRegisters<kRelease, kSeqCst>>);
}
TEST(Strengthening, RegistersWithSeqCstStoresOnly) {
  expect_same_in_all<WeakRegisters<kSeqCst, kAcquire>>(kRegisterCalls<WeakRegisters<kSeqCst, kAcquire>>);
}

TEST(Strengthening, Locks) {
  using Spin = SpinLockCounter<>;
  const Call<Spin> increment = [](Spin& s) { return s.increment(); };
  expect_same<Spin>({{increment, increment}, {increment}});
  const Call<MutexRegister> one = [](MutexRegister& s) { return s.exchange(1); };
  const Call<MutexRegister> two = [](MutexRegister& s) { return s.exchange(2); };
  expect_same<MutexRegister>({{one, two}, {two, one}});
  expect_same<MutexRegister>({{one}, {two}, {one}});
}

// Each method in the one thread that may call it.
TEST(Strengthening, OneThreadForEachSide) {
  using Right = SpscRing<>;
  using Wrong = SpscRing<kRelaxed, kRelaxed, 1>;
  expect_same<Right>({{push<Right>, push_2<Right>}, {pop<Right>, pop<Right>}});
  expect_same<Wrong>({{push<Wrong>, push_2<Wrong>}, {pop<Wrong>, pop<Wrong>}});
  using Version = SeqLock<>;
  const Call<Version> write = [](Version& s) {
    s.write(1);
    return 0;
  };
  const Call<Version> read = [](Version& s) { return s.read(); };
  expect_same<Version>({{write}, {read, read}});
}

TEST(Strengthening, Fences) {
  using Right = ChaseLevDeque<>;
  using Wrong = ChaseLevDeque<kAcqRel, kAcqRel>;
  const auto compare = []<class S>(S*) {
    const Call<S> take = [](S& s) { return s.take(); };
    const Call<S> steal = [](S& s) { return s.steal(); };
    expect_same<S>({{push<S>, take}, {steal, steal}});
    expect_same<S>({{push<S>, push_2<S>, take}, {steal}});
  };
  compare(static_cast<Right*>(nullptr));
  compare(static_cast<Wrong*>(nullptr));
}

// x := 1 || read y = 0 || y := 1 || read x = 0, where one client knows of x := 1 before it reads y, another of y := 1 before it reads x. No clock
// that all share shows both.
TEST(Strengthening, WhatNoSharedClockShows) {
  using S = WeakRegisters<>;
  const auto& calls = kRegisterCalls<S>;
  const Threads<S> threads = {{calls[0]}, {calls[3]}, {calls[1]}, {calls[2]}};
  const auto has_both = [](const Outcomes& outcomes) {
    return std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& each) {
      return each.results[1] == 0 && each.results[3] == 0 && (each.predecessors[1] & 1U) != 0 &&
             (each.predecessors[3] & 4U) != 0;
    });
  };
  const Explored free = explore_with(threads, ClientKind::kFree);
  EXPECT_EQ(free.executions, 4U);
  EXPECT_TRUE(has_both(free.outcomes));
  EXPECT_TRUE(has_both(explore_with(threads, ClientKind::kPerThread).outcomes));
  EXPECT_FALSE(has_both(explore_with(threads, ClientKind::kOneClock).outcomes));
}

}  // namespace
}  // namespace plumb::testing
