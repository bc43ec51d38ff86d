// Everything a test needs.
#pragma once

#include <plumb/audit.hpp>
#include <plumb/explore.hpp>
#include <plumb/stress.hpp>
#include <plumb/test.hpp>
