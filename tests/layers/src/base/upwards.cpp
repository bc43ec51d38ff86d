// Not compiled: what scripts/check-layers must refuse.
#include "check/search.hpp"
