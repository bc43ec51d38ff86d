// The observation file of Line-Up (figure 7 of the paper): the serial histories of scenarios as XML, grouped by what each
// thread saw. Written by one version of a class, it is the specification of the next.
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
// Values are JSON, escaped as XML has it. B marks an operation that blocks, # a history that is stuck.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/result.hpp"
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

[[nodiscard]] std::string write_observations(const TestCase& test, const Scenario& scenario,
                                             const SerialTree& tree);

// The sets of this test. Operations that the test does not know, and text that is no observation file, are errors with
// their place.
[[nodiscard]] Result<std::vector<ObservationSet>> read_observations(std::string_view text,
                                                                    const TestCase& test);

}  // namespace plumb::testing
