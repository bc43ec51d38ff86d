// A test from end to end: which scenarios, in which processes, until when; the first that fails is made smaller and run
// again for the report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "document/document.hpp"
#include "journal/shard.hpp"
#include "plumb/test.hpp"
#include "testing/failure_search.hpp"
#include "testing/run_context.hpp"
#include "testing/scenario.hpp"
#include "work/worker_pool.hpp"

namespace plumb::testing {

// The public one, shared with other processes.
// `cannot_end` is told, by another thread, what is known where the test can only be ended with the process; it ends it.
using CannotEnd = std::function<void(const TestResult& known)>;
[[nodiscard]] TestResult run_test(TestCase& test, const TestOptions& options, const Sharing& sharing,
                                  CannotEnd cannot_end = {});

// Of a test in which nothing was found, of this shard: which of the planned scenarios were finished, and what would have to be raised for the
// others. Unless all were it is unknown.
void note_unfinished(const TestOptions& options, std::span<const Scenario> planned,
                     const std::map<std::size_t, ScenarioResult>& outcomes, TestResult& result,
                     const Shard& shard = {});
// ", 3 cut off (2x3, 3x3 …)", by threads and operations; empty where none was.
[[nodiscard]] std::string cut_off_text(const TestResult& result);
// Operations of the test, as bits, that have returned in no serial run.
void tell_never_returns(const TestCase& test, std::uint64_t operations, TestResult& result);
// Something was found in a scenario, and could not be found again for the report.
void tell_unshown(const ScenarioResult& known, TestResult& result);
// Of a test with scenarios that depend on more than the engine sees.
[[nodiscard]] std::string limits_text(const TestResult& result);
// What was run under a weak memory model, in a line; empty: it was not asked for, or nothing of the class depends on it.
[[nodiscard]] std::string models_text(const TestOptions& options, const TestResult& result);
[[nodiscard]] std::string summary_text(const TestOptions& options, const TestResult& result);

[[nodiscard]] Document failure_document(const TestCase& test, const Failure& failure,
                                        const TestResult& result);

}  // namespace plumb::testing
