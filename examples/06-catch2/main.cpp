#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_CONSOLE_WIDTH 160  // lines of a trace stay whole
#include <catch2/catch.hpp>
