// Which memory orders of a class are needed. Each order that the class says is weakened at run time, one line after the other, without
// compiling anything, and the test is run again with it: what is found then is why the order is there.
//
//   plumb::OrderAudit audit = plumb::audit_orders<Subject>([](auto& test) {
//     test.operation("push", &Subject::push, plumb::values(1, 2));
//     test.operation("pop", &Subject::pop);
//   });
//   std::cout << audit.report;
//
// The tests of a program: --audit-orders. See docs/memory.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/test.hpp>

namespace plumb {

enum class OrderVerdict : std::uint8_t {
  kNeeded,     // with every weaker order something is found
  kNotNeeded,  // with a weaker one nothing is found in what was explored
  kTooWeak,    // something is found with it as it is, and not with a stronger one
  kUndecided,  // the budget ended before that was known
};
[[nodiscard]] std::string_view to_string(
    OrderVerdict verdict);  // "needed", "not-needed", "too-weak", "undecided"

// A run of the test in which an order was another one.
struct OrderTrial {
  std::memory_order order = std::memory_order_relaxed;  // that was tried
  Outcome verdict = Outcome::kUnknown;                  // of the test
  std::optional<ViolationKind> kind = std::nullopt;     // of a violation
  std::string message = {};
  std::vector<std::vector<std::string>> scenario = {};  // the smallest that fails
  std::string replay = {};    // arguments of the program that show it: orders, and the token
  std::size_t scenarios = 0;  // that were exhausted; of a violation, that were run
  std::uint64_t executions = 0;
};

// An order that stands at a line.
struct AuditedOrder {
  SourcePlace place = {};
  AccessKind access = AccessKind::kLoad;
  std::memory_order order = std::memory_order_seq_cst;
  OrderVerdict verdict = OrderVerdict::kUndecided;
  // The weakest order with which nothing is found; of one that is too weak, the stronger one.
  std::optional<std::memory_order> enough = std::nullopt;
  std::vector<OrderTrial> trials =
      {};  // the weakest first; of one that is too weak, the run without a change
};

struct OrderAudit {
  std::string test;
  Outcome verdict = Outcome::kUnknown;  // kHolds: each order was decided, and none is too weak
  bool refused = false;                 // the test itself cannot be run; the message says why
  MemoryModel memory_model = MemoryModel::kRc11;
  std::string message = {};
  std::vector<AuditedOrder> orders =
      {};  // by file and line; those that are relaxed only if they are too weak
  // What was run with the orders as they are, those that are too weak repaired.
  std::size_t scenarios = 0;
  std::uint64_t executions = 0;
  bool exhausted = false;
  Seconds elapsed{};
  std::string report = {};   // all of it for a person
  std::string program = {};  // that was run, as it was called; empty: not known

  [[nodiscard]] std::string json() const;  // one line
  [[nodiscard]] std::string page() const;  // of HTML: each verdict beside its line of the source
};

// `make` makes the test anew for each run. The budget of the options is for all of them together.
OrderAudit audit_orders(const std::function<std::unique_ptr<TestCase>()>& make,
                        const TestOptions& options = {});

template <class S, std::invocable<Test<S>&> Define>
OrderAudit audit_orders(Define define, const TestOptions& options = {}, const std::string& name = {}) {
  const auto make = [&] {
    auto made = std::make_unique<Test<S>>(name.empty() ? test::name_of(typeid(S)) : name, options.seed);
    define(*made);
    return std::unique_ptr<TestCase>(&case_of(*made.release()));
  };
  return audit_orders(std::function<std::unique_ptr<TestCase>()>(make), options);
}

}  // namespace plumb
