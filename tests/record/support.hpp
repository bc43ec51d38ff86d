// For the tests of recordings.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include <plumb/history.hpp>

namespace plumb::test {

// Every operation on a line of its own.
inline std::string lines(const History& history) {
  std::string out;
  for (OperationId i = 0; i < history.size(); ++i) out += history.describe(i) + "\n";
  return out;
}

// A folder of its own, gone afterwards.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "plumb-record-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace plumb::test
