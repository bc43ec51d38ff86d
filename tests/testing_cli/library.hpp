// A class whose code is in a shared library, which is built with the hooks and without them.
#pragma once

#include <atomic>

namespace library {

class Counter {
 public:
  int add();

 private:
  std::atomic<int> count_{0};
};

}  // namespace library
