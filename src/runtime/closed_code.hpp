// Libraries that must not run for a while: what one without hooks keeps is in no snapshot (explore/states/). While they are closed, to call
// one is a fault that opens all of them again and goes on; that it happened can be asked.
#pragma once

#include <string>
#include <vector>

namespace plumb::runtime {

class ClosedCode {
 public:
  explicit ClosedCode(const std::vector<std::string>& libraries);  // names of files, without folders
  ~ClosedCode();
  ClosedCode(const ClosedCode&) = delete;
  ClosedCode& operator=(const ClosedCode&) = delete;

  static const char* called();  // the library that was called meanwhile; null: none
  // In the handler of a fault there: whether that was why, and it can go on.
  static bool open_for(const void* pc);
};

}  // namespace plumb::runtime
