// The plain search for stacks that hold a value twice: what they hold has too many orders to be gone through
// (sweep.hpp).
//
// A configuration there is what open operations have taken effect, and all that the stack holds. Here it is the former, and
// the topmost element: a push that took effect at one place of the search. What lies below is kept with the element, as all
// elements that can be right below it; so many stacks are one configuration. Nothing that happens while an
// element stays inside depends on what lies below it: so any of these can be what comes to light when it is popped.
//
// As there, a return extends configurations by every order of open operations up to the one that returns. An element that is
// put into the search a second time, from another one below, may have been popped already: then what
// the pops led to is extended, too. (Graph-structured stacks, Tomita 1986; pushes and pops matched as brackets, as Lee and Mathur
// do it for stacks, PLDI 2026.) Nothing is left out, and no code is shared with the engines.
#pragma once

#include <cstdint>
#include <span>

#include "proof/family_swept.hpp"
#include "spec/bind.hpp"

namespace plumb {

// Of a history of the family of stacks, without looks at the top. Operations whose return is not among the events need not
// take effect, and have their result if one was recorded. It gives up when it has met more than so many configurations.
[[nodiscard]] FamilySwept sweep_stack(const BoundHistory& history, std::span<const Event> events,
                                      std::uint64_t configurations);

}  // namespace plumb
