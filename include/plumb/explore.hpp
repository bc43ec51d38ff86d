// Runs a small program of threads through its interleavings: real C++ code, compiled with the instrumentation that
// plumb_instrument() of CMake adds, otherwise as it is.
//
//   plumb::Exploration result = plumb::explore([](plumb::Program& p) {
//     std::atomic<int> n{0};
//     p.thread([&] { n.store(n.load() + 1); });
//     p.thread([&] { n.store(n.load() + 1); });
//     p.check([&] { return n == 2; });      // runs the threads to their end, then asks
//   });
//   EXPECT_TRUE(result.passed()) << result.text();
//
// The function is called once for each execution and must do the same each time but for the order of the threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/finding.hpp"
#include "plumb/outcome.hpp"
#include "plumb/seconds.hpp"

namespace plumb {

class Program {  // for the function that is explored; its threads may call require() and name()
 public:
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void thread(std::function<void()> steps);        // runs with the next run() or check()
  void run();                                      // runs the threads named so far, and waits for their end
  void check(const std::function<bool()>& holds);  // run(), then a finding unless it holds
  void require(bool holds, const std::string& what);  // a finding unless it holds; from any thread
  // What came out, of which Exploration::outcomes has the number of executions. Once per execution, after its threads have ended.
  void observe(std::string outcome);

  // What traces call an object; its members are named after it. Variables have their own names anyway.
  template <class T>
  void name(const T* address, const std::string& name) {
    this->name(address, name, sizeof(T), static_cast<const void*>(&type_of<T>));
  }
  void name(const void* address, const std::string& name, std::size_t size = 1,
            const void* type_tag = nullptr);

 private:
  // Debug information tells its type, and so T.
  template <class T>
  static inline const T* type_of = nullptr;

  friend class ProgramRunner;
  void run_below(const void* frame);  // called by a function with that stack frame
  [[noreturn]] static void too_many();
  Program() = default;
  ~Program() = default;
  static constexpr std::size_t kMostThreads = 15;
  std::array<std::function<void()>, kMostThreads> threads_;  // that are named but not yet run
  std::size_t named_ = 0;
};

enum class SearchOrder : std::uint8_t {
  kReduced,     // every interleaving up to the order of independent steps
  kDepthFirst,  // every interleaving
  kRandom,      // uniform random walks
  kPct,         // random priorities with few changes: Burckhardt et al., ASPLOS 2010
  kPos,         // random priorities of steps, partial orders: Yuan, Yang, Gu, CAV 2018
  kSurw,        // orders of a few chosen steps, uniformly: Zhao et al., ASPLOS 2025
  kStates,      // every state of the program, each once: snapshots instead of schedules
};

// What atomic variables show (docs/memory.md).
enum class MemoryModel : std::uint8_t {
  kSequential,  // sequential consistency: a load returns the last value that was stored
  kRc11,        // the C++ memory model: a load may return an older one, as far as the memory orders allow it
};

// How many preemptions an execution may have: `options.preemptions = 2`, or kAnyPreemptions.
class PreemptionBound {
 public:
  constexpr PreemptionBound(unsigned most) : most_(most) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] static constexpr PreemptionBound any_number() { return PreemptionBound(); }

  [[nodiscard]] constexpr std::optional<unsigned> most() const { return most_; }  // none: any number

 private:
  constexpr PreemptionBound() = default;
  std::optional<unsigned> most_;
};
inline constexpr PreemptionBound kAnyPreemptions = PreemptionBound::any_number();

// What has a memory order at a line of the source.
enum class AccessKind : std::uint8_t {
  kLoad,
  kStore,
  kUpdate,   // a read-modify-write; of a compare-exchange, where it succeeds
  kFailure,  // a compare-exchange that fails
  kFence,
};
[[nodiscard]] std::string_view to_string(AccessKind kind);  // "load", "store", "update", "failure", "fence"

// A memory order that is tried in the place of the one that the program says, without compiling it again. Accesses of one kind at one line
// have it; a file is known by the end of its path.
struct OrderChange {
  std::string file;
  int line = 0;
  AccessKind kind = AccessKind::kLoad;
  std::memory_order order = std::memory_order_relaxed;         // a fence with relaxed is none
  std::optional<std::memory_order> instead_of = std::nullopt;  // only where the program says this

  bool operator==(const OrderChange&) const = default;
};
[[nodiscard]] std::string to_string(const OrderChange& change);  // "queue.hpp:31:load:acquire=relaxed"

void note_on_standard_error(const std::string& note);

struct ExploreOptions {
  SearchOrder order = SearchOrder::kReduced;
  MemoryModel memory_model = MemoryModel::kSequential;
  bool every_execution = false;  // no reduction that runs fewer than all consistent executions of kRc11
  // kRc11: only executions in which so many accesses at most have something else than the newest value. For finding: never a pass.
  std::optional<unsigned> older_values = std::nullopt;
  bool suggest_orders = true;  // kRc11: of what is found, try which stronger memory orders would remove it
  std::vector<OrderChange> orders = {};  // kRc11: other memory orders than the program says; 64 at most
  // At most so many, 0 first, then 1, … (reduced, depth-first). Not given: kAnyPreemptions, but 2 in a test of a class.
  std::optional<PreemptionBound> preemptions = std::nullopt;
  // End after so many, or after so long; none: no limit (of random orders: 10,000 executions).
  std::optional<std::uint64_t> executions = std::nullopt;
  std::optional<Seconds> timeout = std::nullopt;
  const std::atomic<bool>* stop = nullptr;  // set from outside: end soon
  std::uint64_t steps = 10'000;             // in one execution; more is a livelock
  unsigned spin =
      3;  // a loop that read the same so often and keeps nothing waits until something it read changes
  unsigned patience = 32;                        // and after so many rounds also one that counts them
  Seconds watchdog{5};                           // of processor time without a step: an endless loop
  std::size_t memory = std::size_t{256} << 20U;  // bytes for states that were searched: reduced, with a bound
  unsigned jobs =
      1;  // processes, 0: one per core; of reduced and depth-first searches, random orders and states take one
  std::uint64_t seed = 1;        // of the random orders
  int depth = 3;                 // PCT: the number of ordering constraints a bug may need
  bool races = true;             // report data races
  bool leaks = true;             // report memory that nothing points to at the end
  bool reuse = true;             // hand freed memory out again, last freed first, to the thread that freed it
  bool reuse_by_others = false;  // and to any other; which allocates and which frees first is explored
  unsigned spurious_cas_failures = 0;  // so many weak compare-exchanges per thread may fail spuriously (g++)
  unsigned spurious_wakeups = 0;       // so many waits per thread at condition variables may end spuriously
  bool plain_points = false;  // plain accesses are scheduling points, too: for code with races on purpose
  bool real_threads = false;  // threads that hand over instead of fibers: slow, works without FSGSBASE
  bool count_traces = false;  // count executions that differ in more than the order of independent steps
  std::string replay;         // a token: run this one execution
  // A step that takes long by the wall (a system call that waits) is noted after so long, twice as long, and so on; none: never.
  std::optional<Seconds> note_after = Seconds(10);
  std::function<void(const std::string& note)> note = note_on_standard_error;  // from another thread
};

struct SourcePlace {
  std::string file;
  int line = 0;
  std::string function;
};

// Memory that changed although no hook told of a write: races on it are not seen.
struct UnwatchedWrite {
  std::string by;     // who wrote it: "put()", "Buffer::put" or "thread 1"
  std::string place;  // what was written, as reports of races call it
  std::string where;  // the hook next to it: "before buffer.cpp:12 Buffer::put"; empty: not known
};

struct TraceStep {
  int thread = 0;            // 0 is the program itself; threads count from 1
  std::string what;          // "load", "compare-exchange", "lock", "allocate" …
  std::string object;        // a name that is the same in each run where one is known
  std::string order;         // memory order, for atomics
  std::uint64_t before = 0;  // value seen
  std::uint64_t after = 0;   // value left
  bool atomic = false;       // the values mean something
  bool changed = false;
  std::string seen;  // the values as a person reads them: a pointer by the name of what it points to
  std::string left;
  std::string note = {};   // kRc11: which newer value it did not see, and why; or with what it synchronises
  std::size_t number = 0;  // in the execution's trace, from 1
  // kRc11, numbers of other steps, 0 where there is none: whose value it read (or who held the lock before); the newest one whose value
  // it could have read in this order of steps, but did not; and the stores, fences and unlocks with which it synchronises.
  std::size_t read_from = 0;
  std::size_t newer = 0;
  std::vector<std::size_t> synchronises_with = {};
  std::vector<SourcePlace> places = {};  // where in the program, then where that was called, outwards
};

// Where something that led to the finding happened: both accesses of a race, where memory was freed …
struct Evidence {
  std::string what;
  std::vector<SourcePlace> places;
};

// What ended a search.
enum class SearchEnd : std::uint8_t {
  kExhausted,    // every schedule within the bound was run
  kFinding,      // something was found
  kExecutions,   // ExploreOptions::executions
  kTimeout,      // ExploreOptions::timeout
  kStopped,      // ExploreOptions::stop
  kReplayed,     // the one execution of a token was run, and nothing was found
  kOlderValues,  // ExploreOptions::older_values: all within it were run, others were not
};
[[nodiscard]] std::string_view to_string(SearchEnd end);  // "exhausted", "finding", "executions", "seconds" …

struct Exploration {
  Outcome verdict = Outcome::kUnknown;
  FindingKind kind = FindingKind::kNone;
  bool refused = false;  // no fault of the program: the engine cannot run it (fork, a seventeenth thread …)
  std::string
      message;  // the finding in one sentence; of an unknown verdict: which thread did not come to an end
  std::vector<Evidence> evidence;
  std::string suggestion = {};  // kRc11: which memory orders, made stronger, would remove the finding
  std::vector<OrderChange> suggested_orders = {};  // the same, as ExploreOptions::orders takes them
  std::uint64_t orders_met = 0;  // of ExploreOptions::orders, as bits: those that some access had
  std::vector<TraceStep> trace;  // of the failing execution
  std::string replay;            // a token that runs it again
  std::uint64_t executions = 0;  // that were run to their end
  std::uint64_t pruned = 0;      // given up: another order of independent steps was run already
  std::uint64_t traces = 0;      // distinct ones, where options.count_traces asks for them
  std::uint64_t steps = 0;       // of all executions
  bool exhausted = false;        // every schedule within the bound was run
  std::map<std::string, std::uint64_t> outcomes = {};  // that were observed, with the number of executions
  std::uint64_t states = 0;                            // distinct ones, of a search of states
  std::string beyond_states;  // why schedules were searched, not states: what no snapshot holds
  std::optional<SearchEnd> ended_by = std::nullopt;  // none: nothing was run
  // A loop that may count its rounds went round so often that it went on only when no other thread could.
  bool held_back = false;
  std::vector<std::string> unwatched;            // shared libraries that were compiled without the hooks
  std::vector<UnwatchedWrite> unwatched_writes;  // what code without them wrote, in some of the executions

  bool passed() const { return verdict == Outcome::kHolds; }
  std::string text() const;  // verdict, counts and trace, for a person
};

Exploration explore(const std::function<void(Program&)>& program, const ExploreOptions& options = {});

// All that a main() needs: explores and prints what it finds, with the command that runs the same execution again
// (`--replay TOKEN`). Returns 0: passed; 1: something was found; 2: wrong arguments; 3: a limit came first,
// or Ctrl-C or SIGTERM, which are answered with what is known by then.
int explore_main(int argc, char** argv, const std::function<void(Program&)>& program,
                 ExploreOptions options = {});

}  // namespace plumb
