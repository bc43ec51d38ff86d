// What was observed serially, as a model: a state is a node of the tree of serial histories. So everything that explains and
// draws histories works for tests without a specification, too.
#pragma once

#include <memory>

#include "plumb/model.hpp"
#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

// The test, the layout and the tree must live longer. Histories must be of this scenario (ObservedHistory::history).
// `may_be_left_out`: operations of the history that may fail and did, as bits: a linearization has them where they change nothing.
[[nodiscard]] std::unique_ptr<Model> observed_model(const TestCase& test, const Layout& layout,
                                                    const SerialTree& tree,
                                                    std::uint64_t may_be_left_out = 0);

}  // namespace plumb::testing
