#include "library.hpp"

namespace library {

int Counter::add() { return count_.fetch_add(1); }

}  // namespace library
