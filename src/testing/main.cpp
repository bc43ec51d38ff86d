#include "plumb/test.hpp"

int main(int argc, char** argv) { return plumb::test_main(argc, argv); }
