// The observation file of Line-Up: the serial histories of scenarios. Written by one version of a class, it is the specification of
// the next. The ending of its name says how it is written: .json, or else the XML of the paper (its figure 7), grouped by what each
// thread saw:
//
//   <observationset test="Queue">
//   <matrix> … what the scenario calls … </matrix>
//   <observation>
//   <thread id="A">1 2</thread>
//   <thread id="B">3B</thread>
//   <op id="1" name="push">value="200"</op>  <op id="3" name="pop">result="200"</op> …
//   <history>1[ ]1 2[ ]2 3[ #</history>
//   </observation>
//   </observationset>
//
// Values are JSON, escaped as XML has it. B marks an operation that blocks, # a history that is stuck. As JSON it is a document per
// scenario, one per line; operations count from 0, those before the threads first, those after them last:
//
//   {"test":"Queue",
//    "scenario":{"before":[],"threads":[[{"f":"push","args":[200]}],[{"f":"pop","args":[]}]],"after":[]},
//    "histories":[[{"operation":0,"result":null},{"operation":1,"result":200}],
//                 [{"operation":1,"blocks":true}]]}
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

struct SerialHistory {
  std::vector<std::size_t> order;             // operations, numbered as in the layout of the scenario
  std::vector<std::optional<Value>> results;  // nothing: it blocks
};

struct ObservationSet {
  Scenario scenario;
  std::vector<SerialHistory> histories;
};

enum class ObservationFormat : std::uint8_t { kXml, kJson };
[[nodiscard]] ObservationFormat observation_format(std::string_view path);

[[nodiscard]] std::string write_observations(const TestCase& test, const Scenario& scenario,
                                             const SerialTree& tree, ObservationFormat format);

// The sets of this test. Operations that the test does not know, and text that is no observation file, are errors with
// their place.
[[nodiscard]] Result<std::vector<ObservationSet>> read_observations(std::string_view text,
                                                                    const TestCase& test,
                                                                    ObservationFormat format);

// Each in its own file.
[[nodiscard]] std::string write_xml_observations(const TestCase& test, const Scenario& scenario,
                                                 const SerialTree& tree);
[[nodiscard]] std::string write_json_observations(const TestCase& test, const Scenario& scenario,
                                                  const SerialTree& tree);
[[nodiscard]] Result<std::vector<ObservationSet>> read_xml_observations(std::string_view text,
                                                                        const TestCase& test);
[[nodiscard]] Result<std::vector<ObservationSet>> read_json_observations(std::string_view text,
                                                                         const TestCase& test);

// What they share: the histories that a tree holds, the invocation of an operation with these arguments, and whether a scenario that
// was read can be run.
[[nodiscard]] std::vector<SerialHistory> histories_of(const SerialTree& tree, const Layout& layout);
[[nodiscard]] std::optional<InvocationId> find_invocation(const TestCase& test, std::string_view name,
                                                          std::span<const Value> args);
[[nodiscard]] bool can_be_run(const Scenario& scenario);

}  // namespace plumb::testing
