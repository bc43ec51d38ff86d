// Is this history linearizable? The one function of the library, and what it says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/outcome.hpp>
#include <plumb/result.hpp>
#include <plumb/seconds.hpp>

namespace plumb {

enum class Engine : std::uint8_t {
  kAuto,  // what suits the history
  kMonitor,
  kFrontier,
  kWgl,
  kHitting,
  kBrute,
  kRelaxed,  // of a verdict with CheckOptions::relax: one search for two orders; to ask for it is to ask for kAuto
  kClocks,  // of one with CheckOptions::clock_error, where the times as they are do not decide; likewise
};

// In which the times of a history are.
enum class TimeUnit : std::uint8_t { kNanoseconds, kMicroseconds, kMilliseconds, kSeconds };

// Quasi linearizability: operations of this name may stand up to `k` places, counted among themselves, away from where a
// legal history has them. Without a `k` the smallest that accepts the history is looked for. See docs/relaxed.md.
struct Relaxation {
  std::string operation;
  std::optional<std::uint32_t> k = std::nullopt;
};

// What a check may use. A spent budget makes the verdict `unknown`, never anything else. Time is looked at between the steps of
// a search, at most a millisecond apart: a step of a model, or a monitor's one pass over the history, is not interrupted.
struct CheckOptions {
  Engine engine = Engine::kAuto;
  std::optional<Seconds> timeout = std::nullopt;
  std::optional<std::size_t> memory =
      std::nullopt;       // bytes for the search; from there on the memo forgets (slower, never wrong)
  unsigned jobs = 0;      // threads; 0: one per core
  bool partition = true;  // by object and by the model's key; off only to measure what it brings
  bool lru = false;       // a small memo that forgets, as in the paper's WGL+LRU column
  std::vector<Relaxation> relax = {};  // empty: plain linearizability
  std::uint32_t max_k = 16;            // where a smallest k is looked for: up to here
  // Every time may be off by so much, as the clocks of several machines are: only what happens before with any such clocks
  // has to come before. Operations of one process on one object (or key) keep their order, since one clock timed them.
  std::optional<Seconds> clock_error = std::nullopt;
  TimeUnit time_unit = TimeUnit::kNanoseconds;
  unsigned max_depth = 5;     // kHitting: of the families that are tried
  bool hitting_only = false;  // kHitting: what they do not prove is `unknown`; otherwise it is searched
  const std::atomic<bool>* stop = nullptr;    // set from outside: end soon, with `unknown`
  std::function<void(double)> progress = {};  // told the share that is done, now and then, from any thread
};

// Why a history is not linearizable.
struct Violation {
  std::vector<OperationId> operations;  // a core: these operations alone are not linearizable; ascending
  OperationId stuck = 0;                // the earliest whose return no order gets past
  std::vector<OperationId>
      prefix;  // the longest linearization found: everything that returned before `stuck`
  std::vector<std::string> allowed;  // the results `stuck` could have returned there, as JSON
  bool allowed_complete = true;      // false: there are more than are listed
  std::vector<std::string>
      states;  // the states in which it was tried, as the model writes them (some of them)
  bool of_core_only =
      false;  // stuck, prefix, allowed, states are about the core alone: the rest is too large
  // With relaxed classes: how far they could move and it was still impossible; and, place by place beside `prefix`, the
  // legal history. Both empty for plain linearizability.
  std::vector<Relaxation> relax;
  std::vector<OperationId> legal_prefix;
  std::string reason;  // all of this as a sentence
};

// How far a history was explained when a budget ended the search.
struct Explained {
  std::size_t returned =
      0;                 // so many operations had returned before `next` did, and all of them are explained
  OperationId next = 0;  // the operation whose return was not explained so far
  std::vector<OperationId> order;  // a linearization of those, with others that were open; empty with `relax`
};

struct Verdict {
  Outcome outcome = Outcome::kUnknown;
  std::vector<Engine> engines;  // that decided: several where parts were decided differently
  std::string why;              // why these; for `unknown`, which budget was spent
  std::vector<OperationId>
      linearization;  // a witness, for kHolds; pending operations that took effect included
  // With CheckOptions::relax: the legal history, place by place beside the sequentialization, which is `linearization`; and
  // for how much relaxation the verdict holds (none where no k was enough).
  std::vector<OperationId> legal;
  std::vector<Relaxation> relax;
  std::optional<Violation> violation;
  std::optional<Explained> explained;  // for kUnknown, where a budget ended it: the longest prefix that was
  Seconds elapsed{};
  std::size_t parts = 0;             // independent sub-histories checked
  std::uint64_t configurations = 0;  // (window, state) pairs met
  std::optional<unsigned>
      depth;  // kHitting: of the first hitting family with a witness, the largest of any part; 0 of none
};

// Fails only if the history does not fit the model, or if CheckOptions::relax names none of its operations, or
// one twice. Many checks may run at once, also of one history.
[[nodiscard]] Result<Verdict> check(const History& history, const Model& model,
                                    const CheckOptions& options = {});

[[nodiscard]] std::string_view to_string(const Verdict& verdict);  // "linearizable", "violation" or "unknown"
[[nodiscard]] std::string_view to_string(Engine engine);           // "auto", "monitor", "wgl" …
[[nodiscard]] std::string to_string(std::span<const Engine> engines);       // "monitor+wgl"
[[nodiscard]] std::string to_string(const std::vector<Relaxation>& relax);  // "dequeue=2, enqueue=?"

}  // namespace plumb
