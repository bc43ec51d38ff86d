// Everything a test needs.
#pragma once

#include <plumb/explore.hpp>
#include <plumb/stress.hpp>
#include <plumb/test.hpp>
