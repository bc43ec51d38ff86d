// Tests a concurrent class without a specification: name its operations, and plumb runs small programs of threads that call
// them through every interleaving that matters. The object itself, run serially, says which results are right (Line-Up,
// Burckhardt et al., PLDI 2010).
//
//   struct Subject {                                   // a fresh one for each execution
//     my::Queue<int> queue;
//     void push(int v) { queue.push(v); }
//     std::optional<int> pop() { return queue.try_pop(); }
//   };
//   PLUMB_TEST(Subject, test) {
//     test.operation("push", &Subject::push, plumb::values(1, 2));
//     test.operation("pop", &Subject::pop);
//   }
//
// plumb_add_test() of CMake makes a program of it, with `main`. Inside another test framework: plumb::check<Subject>(…).
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plumb/clock.hpp>
#include <plumb/detail/signature.hpp>
#include <plumb/detail/test_case.hpp>
#include <plumb/explore.hpp>
#include <plumb/object_model.hpp>
#include <plumb/outcome.hpp>
#include <plumb/seconds.hpp>
#include <plumb/test_values.hpp>

namespace plumb {

namespace test {

// Runs it, and turns what it returned, or threw, into a value.
template <class S, class F, class... As>
Value run(const F& operation, S& subject, Values& values, As... args) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<const F&, S&, As...>>) {
      std::invoke(operation, subject, std::move(args)...);
      return kNull;
    } else {
      const auto result = std::invoke(operation, subject, std::move(args)...);
      const UninstrumentedScope scope;
      return to_value(result, values);
    }
  } catch (const std::exception& error) {
    return thrown(&error, values);
  } catch (...) {
    return thrown(nullptr, values);
  }
}

template <class A>
inline constexpr bool kIsTagged = false;
template <class T>
inline constexpr bool kIsTagged<Tagged<T>> = true;

// An argument for a stress run. Numbers and texts can be made fresh; other types come from the values of the test.
template <class A, class T>
A draw(Caller& caller, std::size_t argument, const std::vector<T>& listed) {
  if constexpr (kIsTagged<A>) {
    return {A(listed[caller.below(listed.size())]).value, caller.fresh()};
  } else {
    const Caller::Source source = caller.source(argument);
    if constexpr (Integer<A> && sizeof(A) >= sizeof(std::int32_t)) {
      if (source == Caller::Source::kFresh) return static_cast<A>(caller.fresh());
      if (source == Caller::Source::kSeen) return static_cast<A>(caller.seen());
    } else if constexpr (std::is_same_v<A, std::string>) {
      if (source == Caller::Source::kFresh) return std::to_string(caller.fresh());
    }
    return A(listed[caller.below(listed.size())]);
  }
}

// The same as `run`, with real threads about: the caller is told between the call and the making of its result.
template <class S, class F, class... As>
void perform(const F& operation, S& subject, Caller& caller, As... args) {
  const std::array<Value, sizeof...(As)> values{to_value(args, caller.values())...};
  caller.call(values);
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<const F&, S&, As...>>) {
      std::invoke(operation, subject, std::move(args)...);
      caller.returned();
      caller.result(kNull);
    } else {
      const auto result = std::invoke(operation, subject, std::move(args)...);
      caller.returned();
      caller.result(to_value(result, caller.values()));
    }
  } catch (const std::exception& error) {
    caller.returned();
    caller.result(thrown(&error, caller.values()));
  } catch (...) {
    caller.returned();
    caller.result(thrown(nullptr, caller.values()));
  }
}

// The result that says by itself that an operation failed: false; no value; null.
template <class R>
std::optional<Value> failing_result(Values& values) {
  if constexpr (std::is_same_v<R, bool>) {
    return kFalse;
  } else if constexpr (std::is_class_v<R> || std::is_pointer_v<R>) {
    if constexpr (std::is_default_constructible_v<R> && std::is_constructible_v<bool, R&>)
      return to_value(R{}, values);
  }
  return std::nullopt;
}

}  // namespace test

template <class S>
class Test final : private TestCase {  // filled by one thread, before it runs
  static_assert(
      std::is_default_constructible_v<S>,
      "plumb: a fresh object is made for each execution: the class under test needs a default constructor");

 public:
  using TestCase::TestCase;

  using TestCase::after;
  using TestCase::allow_leaks;
  using TestCase::allow_races;
  using TestCase::before;
  using TestCase::destroys_after;
  using TestCase::explore;
  using TestCase::lock_free;
  using TestCase::model;
  using TestCase::obstruction_free;
  using TestCase::relax;
  using TestCase::scenario;
  using TestCase::synchronises;
  using TestCase::synchronises_all;

  // What else there is to say about an operation.
  class Registered {
   public:
    // Operations of one group never run concurrently: one thread of each scenario calls them all (a single producer).
    Registered& one_thread(const std::string& group) {
      test_.operations_[index_].group = group;
      return *this;
    }
    // In a stress run: called so many times as often as an operation of weight 1; 0: never.
    Registered& weight(unsigned weight) {
      test_.operations_[index_].weight = weight;
      return *this;
    }

    // A call may return that it failed (false, nullopt, null) although a serial run would not, and then has changed nothing: the
    // contract of a bounded queue that says "full" or "empty" while another thread is half-way through. Another result says so: the value.
    Registered& may_fail() {
      test_.let_fail(index_, false);
      return *this;
    }
    template <class R>
    Registered& may_fail(const R& result) {
      test_.let_fail(index_, test_.value_of(result), false);
      return *this;
    }
    // The same, but only if another operation overlaps: alone, it has to succeed where a serial run does.
    Registered& may_fail_when_contended() {
      test_.let_fail(index_, true);
      return *this;
    }
    template <class R>
    Registered& may_fail_when_contended(const R& result) {
      test_.let_fail(index_, test_.value_of(result), true);
      return *this;
    }

   private:
    friend class Test;
    Registered(Test& test, std::size_t index) : test_(test), index_(index) {}
    Test& test_;
    std::size_t index_;
  };

  // Objects are made with these arguments, not by the default constructor.
  template <class... As>
  void construct(As... arguments) {
    static_assert(
        std::is_constructible_v<S, const As&...>,
        "plumb: test.construct(…): the class under test has no constructor that takes these arguments");
    make_ = [this, chosen = std::tuple<As...>(std::move(arguments)...)]() -> std::unique_ptr<test::Object> {
      return std::apply(
          [this](const auto&... each) { return std::make_unique<Instance>(runs_, performs_, each...); },
          chosen);
    };
  }

  // A method, or a function or lambda that takes the object first; for each parameter, the values it takes.
  template <class F, class... Ts>
  Registered operation(const std::string& name, F method, ArgumentValues<Ts>... arguments) {
    using Shape = object::Shape<F>;
    const std::size_t index = operations_.size();
    operations_.push_back({.name = name,
                           .group = {},
                           .returns_nothing = std::is_void_v<typename Shape::Result>,
                           .parameters = sizeof...(Ts),
                           .weight = 1,
                           .distinct = {arguments.distinct...},
                           .failing = failing_result<typename Shape::Result>()});
    add(index, method, typename Shape::Arguments{}, std::move(arguments)...);
    return Registered(*this, index);
  }

 private:
  template <class R>
  std::optional<Value> failing_result() {
    if constexpr (std::is_void_v<R>) {
      return std::nullopt;
    } else {
      return test::failing_result<std::decay_t<R>>(*values_);
    }
  }
  template <class R>
  Value value_of(const R& result) {
    if constexpr (std::is_same_v<R, std::nullopt_t> || std::is_null_pointer_v<R>) {
      return kNull;
    } else {
      return test::to_value(test::Stored<R>(result), *values_);
    }
  }

  // What plumb itself sees of a test.
  friend TestCase& case_of(Test& test) { return test; }

  [[nodiscard]] std::unique_ptr<test::Object> make() const override {
    return make_ ? make_() : std::make_unique<Instance>(runs_, performs_);
  }

  using Run = std::function<Value(S&, Values&)>;
  using Perform = std::function<void(S&, test::Caller&)>;

  static_assert(std::is_nothrow_destructible_v<S>,
                "plumb: the destructor of the class under test may throw, noexcept(false): give the test a "
                "class whose destructor "
                "catches what it throws");
  class Instance final : public test::Object {
   public:
    template <class... As>
    Instance(const std::vector<Run>& runs, const std::vector<Perform>& performs, const As&... arguments)
        : runs_(runs), performs_(performs), subject_(arguments...) {}
    Value run(std::size_t invocation, Values& values) override { return runs_[invocation](subject_, values); }
    void perform(std::size_t operation, test::Caller& caller) override {
      performs_[operation](subject_, caller);
    }
    void name(Program& program, const std::string& name) const override { program.name(&subject_, name); }

   private:
    const std::vector<Run>& runs_;
    const std::vector<Perform>& performs_;
    S subject_;
  };

  template <class F, class... As, class... Ts>
  void add(std::size_t index, F method, object::List<As...>, ArgumentValues<Ts>... arguments) {
    static_assert(sizeof...(As) == sizeof...(Ts),
                  "plumb: an operation needs values for each of its parameters: test.operation(\"put\", "
                  "&S::put, plumb::values(1, 2))");
    if constexpr (sizeof...(As) == sizeof...(Ts)) {
      static_assert((std::is_convertible_v<Ts, As> && ...),
                    "plumb: the values for an operation's parameter are not of its type");
      // Every combination of the values.
      const std::tuple<std::vector<Ts>...> lists{arguments.make(random_)...};
      combine<As...>(index, method, lists, std::tuple<>());
      performs_.push_back(perform_of<F, As...>(method, lists, std::index_sequence_for<As...>()));
      const auto make_run = [method](std::span<const Value> args,
                                     const Values& values) -> std::optional<Run> {
        if constexpr ((Convertible<As> && ...)) {
          return run_of<F, As...>(method, args, values, std::index_sequence_for<As...>());
        } else {
          return std::nullopt;
        }
      };
      from_values_.push_back(make_run);
    }
  }

  template <class... As, class F, class Lists, class... Chosen>
  void combine(std::size_t index, const F& method, const Lists& lists, const std::tuple<Chosen...>& chosen) {
    if constexpr (sizeof...(Chosen) == sizeof...(As)) {
      test::Invocation invocation{.operation = index, .args = {}};
      std::apply([&](const auto&... arg) { (invocation.args.push_back(test::to_value(arg, *values_)), ...); },
                 chosen);
      invocations_.push_back(std::move(invocation));
      runs_.push_back([method, chosen](S& subject, Values& values) {
        return std::apply(
            [&](const auto&... arg) { return test::run<S, F, As...>(method, subject, values, As(arg)...); },
            chosen);
      });
    } else {
      using A = std::tuple_element_t<sizeof...(Chosen), std::tuple<As...>>;
      for (const auto& item : std::get<sizeof...(Chosen)>(lists)) {
        combine<As...>(index, method, lists, std::tuple_cat(chosen, std::tuple<A>(A(item))));
      }
    }
  }

  template <class F, class... As, class Lists, std::size_t... I>
  static Perform perform_of(const F& method, const Lists& lists, std::index_sequence<I...>) {
    return [method, lists](S& subject, test::Caller& caller) {
      test::perform<S, F, As...>(method, subject, caller, test::draw<As>(caller, I, std::get<I>(lists))...);
    };
  }

  template <class F, class... As, std::size_t... I>
  static std::optional<Run> run_of(const F& method, std::span<const Value> args, const Values& values,
                                   std::index_sequence<I...>) {
    if (args.size() != sizeof...(As)) return std::nullopt;
    const std::tuple<std::optional<As>...> each{Convert<As>::from(args[I], values)...};
    if (!(std::get<I>(each).has_value() && ...)) return std::nullopt;
    return [method, chosen = std::tuple<As...>(*std::get<I>(each)...)](S& subject, Values& made) {
      return std::apply(
          [&](const auto&... arg) { return test::run<S, F, As...>(method, subject, made, As(arg)...); },
          chosen);
    };
  }

  bool add_invocation(std::size_t operation, std::span<const Value> args) override {
    auto made = from_values_[operation](args, *values_);
    if (!made) return false;
    invocations_.push_back({.operation = operation, .args = {args.begin(), args.end()}, .listed = false});
    runs_.push_back(std::move(*made));
    return true;
  }

  std::function<std::unique_ptr<test::Object>()> make_;  // empty: by the default constructor
  std::vector<Run> runs_;
  std::vector<Perform> performs_;  // by operation
  std::vector<std::function<std::optional<Run>(std::span<const Value>, const Values&)>> from_values_;
};

// How to test; the options of the program are the same.
struct TestOptions {
  std::size_t threads = 3;
  std::size_t operations = 3;  // per thread
  // Exactly so many scenarios are drawn. None: the default campaign, which exhausts all small scenarios, then goes on to larger ones
  // until the budget is spent; with an `order` of its own (a strategy), 100.
  std::optional<std::size_t> samples = std::nullopt;
  std::optional<Seconds> budget =
      std::nullopt;  // of the default campaign; none: PLUMB_BUDGET of the environment, or 60
  bool samples_within_budget = false;  // scenarios that are drawn end with the budget, too
  bool only_small = false;             // the default campaign ends when everything small was exhausted
  bool grow = false;                   // AutoCheck: all scenarios of 1x1, then 2x2, … instead of a sample
  std::uint64_t seed = 1;              // of everything that is random
  std::optional<Seconds> timeout = std::nullopt;  // for everything; none: no limit
  unsigned jobs = 0;                              // processes; 0: one per core
  bool minimise = true;                           // make a scenario that fails smaller
  // How each scenario is explored: its strategy (`order`), preemptions within operations (2 if not given; between them switches are
  // free), executions, spurious failures, steps, … Seed, time, jobs, replay, races and leaks are those of the test.
  ExploreOptions explore = {};
  // Under which memory model (docs/memory.md). None: under kRc11 if `explore` says so; else under sequential consistency and then, where
  // the class uses an order weaker than seq_cst, under kRc11.
  std::optional<MemoryModel> memory_model = std::nullopt;
  std::string replay = {};
  std::string program = {};                 // of the report's replay command; none in other frameworks
  std::string observations = {};            // a file to write the serial histories to
  std::string against = {};                 // a file with serial histories that take the place of phase 1
  const std::atomic<bool>* stop = nullptr;  // set from outside: end soon, with `unknown`
  std::function<void(const std::string&)> progress = {};  // told how far it is, now and then
};

// What a stress run says of itself.
struct StressFigures {
  std::uint64_t rounds = 0;
  std::uint64_t operations = 0;  // of rounds that were judged
  std::uint64_t judged = 0;      // rounds
  std::uint64_t overlapping =
      0;                     // histories with operations that overlap: rounds, or distinct ones of a scenario
  std::size_t left_out = 0;  // scenarios that real threads may not come to the end of
  std::size_t released = 0;  // scenarios that have a thread more, so that they do
  Seconds running_time{};    // of the rounds alone: what the threads took
  Seconds lag{};             // from the end of a round to its verdict, at most
  std::uint64_t lag_rounds = 0;  // rounds that waited for their verdict, at most
  Seconds checking_time{};       // of reading and judging what was recorded
  Seconds waiting_time{};        // that the threads stood still because checking was that far behind
  std::optional<ClockKind> clock = std::nullopt;  // of the recording, where there is one
  std::string engine;                             // that judged the last round: as in a verdict, or "line-up"
  std::string why;                                // why this engine
  std::string saved;                              // the file that has the round that failed
};

// Scenarios of one shape that were exhausted: by every schedule with at most so many preemptions.
struct ExhaustedShape {
  std::size_t threads = 0;
  std::size_t operations = 0;
  std::optional<unsigned> preemptions = std::nullopt;  // none: any number
  std::size_t scenarios = 0;
  std::size_t existing = 0;  // of that shape, up to symmetry; 0: too many to count
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;  // distinct ones of a scenario
};

// What the default campaign says of itself.
struct CampaignFigures {
  std::vector<ExhaustedShape> first;    // everything small: what a pass is about
  std::vector<ExhaustedShape> further;  // what else was exhausted
  std::uint64_t walks = 0;              // executions at random
  std::size_t walked = 0;               // scenarios that had some
  std::uint64_t walk_histories = 0;     // distinct ones that these met, in the longest slice of each scenario
  double unmet = 0;  // the share of walks that would meet another one, as estimated (Good and Turing)
};

// What the executions of a test have shown of one operation, where threads called it. Of others it has the names.
struct OperationCoverage {
  std::string name;
  bool returns_nothing = false;
  bool takes_arguments = false;
  bool is_called = false;
  std::vector<std::string> results = {};  // as JSON, or "throws …"; at most a dozen
  bool are_more_results = false;
  bool succeeded = false;  // gave something else than false, nothing or null, and did not throw
  bool failed = false;     // gave that
  bool threw = false;
  bool waited = false;                       // at the end of some execution, and rightly
  std::vector<std::string> overlapped = {};  // were under way at the same time
  std::vector<std::string> took_turns =
      {};  // were called by other threads, but came before or after: a lock, or a single step
  std::vector<std::string> apart = {};  // were never called by another thread of the same scenario
};

// So that a pass can be judged.
struct Coverage {
  std::vector<OperationCoverage> operations = {};
  std::size_t overlapped = 0;  // pairs of operations that were under way at the same time
  std::size_t pairs = 0;       // of those that different threads of a scenario called
  std::vector<std::string> warnings = {};
  // Lines that access memory, of classes of which others were reached, to which no execution came; none where some ran elsewhere: a shard,
  // with a journal, under MPI.
  std::vector<SourcePlace> unreached = {};
};

// What was run under one memory model.
struct ModelFigures {
  MemoryModel memory_model = MemoryModel::kSequential;
  std::size_t scenarios = 0;
  std::uint64_t executions = 0;
  bool exhausted = false;                    // each of the scenarios that count was
  std::vector<ExhaustedShape> shapes = {};   // of the default campaign: everything small,
  std::vector<ExhaustedShape> further = {};  // and what else was exhausted
  std::uint64_t walks = 0;                   // executions at random, beside these
  std::string not_run = {};  // which scenarios could not be run under it, and why; empty: all could
};

struct Document;
enum class ReportFormat : std::uint8_t;  // <plumb/report.hpp>

// What is wrong with a class. What the engine finds has more names: FindingKind.
enum class ViolationKind : std::uint8_t {
#define PLUMB_VIOLATION_KIND(name, text) name,
#include "plumb/detail/violation_kinds.def"
#undef PLUMB_VIOLATION_KIND
};
[[nodiscard]] std::string_view to_string(ViolationKind kind);  // "not-linearizable", "race" …

// What kept a test from being decided.
enum class CutOff : std::uint8_t {
#define PLUMB_CUT_OFF(name, text) name,
#include "plumb/detail/cut_offs.def"
#undef PLUMB_CUT_OFF
};
[[nodiscard]] std::string_view to_string(CutOff cut);  // "timeout", "executions" …

// A scenario that was begun, and not finished.
struct CutScenario {
  std::size_t number = 0;            // from 1
  std::vector<std::size_t> threads;  // how many operations each of them calls
};

struct TestResult {
  std::string test;
  Outcome verdict = Outcome::kUnknown;
  bool refused = false;  // no verdict of the class: the test itself cannot be run, and the message says why
  std::optional<ViolationKind> kind = std::nullopt;  // of a violation
  std::string message;                               // what is wrong, in a sentence
  std::size_t scenarios = 0;
  std::uint64_t serial_histories = 0;
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;                     // distinct ones
  bool exhausted = false;                          // every schedule within the bound was run
  std::vector<std::vector<std::string>> scenario;  // that failed: what each thread calls
  std::string replay;
  std::vector<OrderChange> suggested_orders = {};  // with these, under a weak memory model, nothing is found
  Seconds elapsed{};
  Seconds found_after{};      // of a violation: when it was known, before it was made smaller
  Seconds serial_time{};      // phase 1
  Seconds concurrent_time{};  // phase 2
  std::string report;         // all of it for a person
  std::optional<MemoryModel> memory_model = std::nullopt;  // of a violation: under which it was found
  std::vector<ModelFigures> models = {};                   // of a test in which nothing was found
  std::optional<StressFigures> stress = std::nullopt;      // of a stress run
  std::optional<CampaignFigures> campaign = std::nullopt;  // of the default campaign
  std::optional<Coverage> coverage = std::nullopt;         // of a test in which nothing was found
  std::size_t planned = 0;              // scenarios that were to be run; 0: no scenarios were planned
  std::vector<std::size_t> unfinished;  // of them, those that were not: their numbers, from 1
  std::vector<CutScenario> cut_off;     // of these, those that were begun
  std::optional<CutOff> ended_by = std::nullopt;  // of an unknown one
  std::size_t unseen = 0;     // scenarios that depend on more than the engine sees: see docs/testing.md
  std::size_t held_back = 0;  // scenarios in which loops that may count their rounds were held back: the same
  std::size_t by_schedules = 0;  // scenarios whose states could not be searched (SearchOrder::kStates), and
  std::string beyond_states;     // why: what of the first of them is in no snapshot
  std::vector<std::string> unwatched;            // shared libraries that were compiled without the hooks
  std::vector<UnwatchedWrite> unwatched_writes;  // what code without them wrote, in some of the executions

  [[nodiscard]] bool passed() const { return verdict == Outcome::kHolds; }
  explicit operator bool() const { return passed(); }
  [[nodiscard]] std::string rendered(ReportFormat format) const;  // as a page, a picture, …
  [[nodiscard]] std::string json() const;                         // one line

  // EXPECT_TRUE(plumb::check<Subject>(…)) shows the report: this makes an AssertionResult of GoogleTest.
  template <class Assertion>
  requires requires(Assertion& assertion) {
    { assertion.failure_message() } -> std::convertible_to<const char*>;
    assertion << std::string();
  }
  operator Assertion() const {  // NOLINT(google-explicit-constructor)
    Assertion made(passed());
    made << report;
    return made;
  }
  friend std::ostream& operator<<(std::ostream& out, const TestResult& result) {
    return out << result.report;
  }

 private:
  friend struct ResultDocument;               // src/testing
  std::shared_ptr<const Document> document_;  // of a violation: what its reports are made from
};

// "pass", "violation", "unknown"; "error" of a refused one.
[[nodiscard]] std::string_view to_string(const TestResult& result);

// Runs one test; the kind of all the others stand on.
TestResult run_test(TestCase& test, const TestOptions& options = {});

// From another framework: EXPECT_TRUE(plumb::check<Subject>([](auto& test) { test.operation(…); })); its name is the class's.
template <class S, std::invocable<Test<S>&> Define>
TestResult check(Define define, const TestOptions& options = {}, const std::string& name = {}) {
  Test<S> test(name.empty() ? test::name_of(typeid(S)) : name, options.seed);
  define(test);
  return run_test(case_of(test), options);
}

namespace test {

using Make = std::function<std::unique_ptr<TestCase>(const std::string& name, std::uint64_t seed)>;

// Where a test stands, the class as it is written there, and the name that it has of its own.
struct Definition {
  const char* file;
  int line;
  const char* subject;
  const char* name = nullptr;
};
// Names have to be unique, which is checked when the program starts: then all are known.
bool register_test(const Definition& definition, std::string name, Make make);

template <class S, class Define>
bool register_as(const Definition& definition, const std::string& name, const std::string& subject,
                 Define define) {
  return register_test(definition, name, [=](const std::string& called, std::uint64_t seed) {
    auto made = std::make_unique<Test<S>>(called, seed);
    case_of(*made).call_subject(subject);
    define(*made);
    return std::unique_ptr<TestCase>(&case_of(*made.release()));
  });
}

template <class S>
bool registered(const Definition& definition, void (*define)(Test<S>&)) {
  return register_as<S>(definition, definition.name != nullptr ? definition.name : definition.subject,
                        definition.subject, define);
}

// One definition for several classes: "lock/Mutex", "lock/SpinLock".
template <class... S, class Define>
bool registered_types(const Definition& definition, Define define) {
  return (register_as<S>(definition, std::string(definition.name) + "/" + name_of(typeid(S)),
                         name_of(typeid(S)), define) &&
          ...);
}

// One definition for several values: "ring/2", "ring/4".
template <class S, class Define, class... Vs>
bool registered_values(const Definition& definition, Define define, const Vs&... values) {
  const auto add = [&](const auto& value) {
    Values table;
    const Value converted = to_value(Stored<std::decay_t<decltype(value)>>(value), table);
    const std::string text = table.kind(converted) == ValueKind::kString
                                 ? std::string(table.as_string(converted))
                                 : table.to_json(converted);
    return register_as<S>(definition, std::string(definition.name) + "/" + text, definition.subject,
                          [=](Test<S>& test) { define(test, value); });
  };
  return (add(values) && ...);
}

}  // namespace test

// The `main` of a program of tests: its options, all tests of PLUMB_TEST, the exit status.
int test_main(int argc, char** argv);

}  // namespace plumb

// NOLINTBEGIN(bugprone-macro-parentheses): types and names of parameters cannot stand in parentheses
#define PLUMB_TEST_JOIN(a, b) a##b
#define PLUMB_TEST_NAME(a, b) PLUMB_TEST_JOIN(a, b)
// The parameters have names that stand nowhere else below: a macro replaces every one that does. Several tests may stand on one line,
// as macros of one's own make them: each has a number.
//
// PLUMB_TEST(Queue, test) { … } is called Queue; PLUMB_TEST(Queue, test, "bounded") { … } has a name of its own.
#define PLUMB_TEST(plumb_Subject, plumb_parameter, ...) \
  PLUMB_TEST_NUMBERED(__COUNTER__, #plumb_Subject, plumb_Subject, plumb_parameter __VA_OPT__(, ) __VA_ARGS__)
#define PLUMB_TEST_NUMBERED(plumb_n, plumb_text, plumb_Subject, plumb_parameter, ...)                       \
  static void PLUMB_TEST_NAME(plumb_test_, plumb_n)(::plumb::Test<plumb_Subject> & plumb_parameter);        \
  [[maybe_unused]] static const bool PLUMB_TEST_NAME(plumb_registered_, plumb_n) =                          \
      ::plumb::test::registered<plumb_Subject>({__FILE__, __LINE__, plumb_text __VA_OPT__(, ) __VA_ARGS__}, \
                                               &PLUMB_TEST_NAME(plumb_test_, plumb_n));                     \
  static void PLUMB_TEST_NAME(plumb_test_,                                                                  \
                              plumb_n)([[maybe_unused]] ::plumb::Test<plumb_Subject> & plumb_parameter)

// One definition over several classes: PLUMB_TEST_TYPES(Lock, test, "lock", Mutex, SpinLock) { test.operation("lock", &Lock::lock); … }
#define PLUMB_TEST_TYPES(plumb_Subject, plumb_parameter, plumb_name, ...)                            \
  PLUMB_TEST_TYPES_NUMBERED(__COUNTER__, #plumb_Subject, plumb_Subject, plumb_parameter, plumb_name, \
                            __VA_ARGS__)
#define PLUMB_TEST_TYPES_NUMBERED(plumb_n, plumb_text, plumb_Subject, plumb_parameter, plumb_name, ...) \
  template <class plumb_Subject>                                                                        \
  static void PLUMB_TEST_NAME(plumb_test_, plumb_n)(::plumb::Test<plumb_Subject> & plumb_parameter);    \
  [[maybe_unused]] static const bool PLUMB_TEST_NAME(plumb_registered_, plumb_n) =                      \
      ::plumb::test::registered_types<__VA_ARGS__>({__FILE__, __LINE__, plumb_text, plumb_name},        \
                                                   [](auto& plumb_made) {                               \
                                                     PLUMB_TEST_NAME(plumb_test_, plumb_n)(plumb_made); \
                                                   });                                                  \
  template <class plumb_Subject>                                                                        \
  static void PLUMB_TEST_NAME(plumb_test_,                                                              \
                              plumb_n)([[maybe_unused]] ::plumb::Test<plumb_Subject> & plumb_parameter)

// Or over several values: PLUMB_TEST_VALUES(Ring, test, capacity, "ring", 2, 4) { test.construct(capacity); … }
#define PLUMB_TEST_VALUES(plumb_Subject, plumb_parameter, plumb_value, plumb_name, ...)                \
  PLUMB_TEST_VALUES_NUMBERED(__COUNTER__, #plumb_Subject, plumb_Subject, plumb_parameter, plumb_value, \
                             plumb_name, __VA_ARGS__)
#define PLUMB_TEST_VALUES_NUMBERED(plumb_n, plumb_text, plumb_Subject, plumb_parameter, plumb_value, \
                                   plumb_name, ...)                                                  \
  static void PLUMB_TEST_NAME(plumb_test_, plumb_n)(::plumb::Test<plumb_Subject> & plumb_parameter,  \
                                                    const auto& plumb_value);                        \
  [[maybe_unused]] static const bool PLUMB_TEST_NAME(plumb_registered_, plumb_n) =                   \
      ::plumb::test::registered_values<plumb_Subject>(                                               \
          {__FILE__, __LINE__, plumb_text, plumb_name},                                              \
          [](auto& plumb_made, const auto& plumb_with) {                                             \
            PLUMB_TEST_NAME(plumb_test_, plumb_n)(plumb_made, plumb_with);                           \
          },                                                                                         \
          __VA_ARGS__);                                                                              \
  static void PLUMB_TEST_NAME(plumb_test_, plumb_n)(                                                 \
      [[maybe_unused]] ::plumb::Test<plumb_Subject> & plumb_parameter,                               \
      [[maybe_unused]] const auto& plumb_value)
// NOLINTEND(bugprone-macro-parentheses)
