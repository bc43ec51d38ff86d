// A value of another type that is spelled like one of an operation: 1 and "1" are different values, which seldom anybody means.
#pragma once

#include <string>

#include <plumb/history.hpp>

namespace plumb {

// A sentence for a person, of the result and the arguments of an operation; empty where nothing is spelled alike. Only what no other
// operation has among its arguments is looked at: what is really used with both types is meant so.
[[nodiscard]] std::string same_spelling(const History& history, OperationId operation);

}  // namespace plumb
