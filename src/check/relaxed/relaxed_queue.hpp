// A queue as the relaxed search sees it, where no value is enqueued twice and only dequeues move.
//
// A search that keeps the order of what is inside decides, for every two enqueues that overlap, which came first, long
// before it shows: as many states as there are orders. Here the order is decided when values come out. The state is only
// which values went in and which came out; a value may come out when no other value inside has an enqueue that returned
// before its own was called. The orders in which values come out this way are exactly those that some placing of the
// enqueues explains:
//
//   Let values come out in the order s (what stays comes last). For e before f in s, f's enqueue did not return before e's
//   was called. Let the enqueue of e go to the earliest place after (1) the last dequeue of nothing before e comes out, (2)
//   the enqueues before it in s, and (3) every place whose operations were all called before it was. Each of the three lies
//   before the place where e comes out, and leaves e in its own time: (1) as e went in after it, (2) as s says, (3) as
//   what comes before was called before e returned. Between dequeues of nothing something was inside before, and is now.
//
// As the state follows from what is placed, there are as many configurations a place as concurrency and K allow, however long
// the history is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "check/relaxed/relaxed.hpp"

namespace plumb {

// Null where the part is none of that kind.
[[nodiscard]] std::unique_ptr<States> lazy_queue(const Part& part, const RelaxedBounds& relaxation);

// What a search with these states found, with the enqueues moved to where they explain the order. `after` are the states
// after each place.
[[nodiscard]] std::vector<RelaxedPlace> settle_enqueues(const Part& part, const States& queue,
                                                        std::span<const RelaxedPlace> places,
                                                        std::span<const StateId> after);

}  // namespace plumb
