// Bytes from files and into files: mapped where that is possible, read where it is not, and written so that a
// file is either the old one or the whole new one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <plumb/result.hpp>

namespace plumb {

// An open file or standard input ("-").
class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  // A regular file is here in memory at once, page by page as it is looked at. Other files must be read.
  [[nodiscard]] bool is_mapped() const { return mapping_ != nullptr; }
  [[nodiscard]] std::string_view mapped() const { return {static_cast<const char*>(mapping_), size_}; }
  // With what was added meanwhile.
  [[nodiscard]] Status map_again();

  // Appends to `out` until it has `size` bytes or the file ends.
  [[nodiscard]] Status read(std::string& out, std::size_t size);

 private:
  InputFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void map(std::size_t size);
  void unmap();
  std::string path_;
  int descriptor_;
  void* mapping_ = nullptr;
  std::size_t size_ = 0;
};

// Writes a file ("-": standard output). It appears under its name only when it is complete.
[[nodiscard]] Status write_file(const std::string& path, std::string_view bytes);
// At the end of a file, which is made where there is none.
[[nodiscard]] Status append_file(const std::string& path, std::string_view bytes);
// Whether that would work, as far as it can be told beforehand; nothing is written.
[[nodiscard]] Status can_write_file(const std::string& path);

}  // namespace plumb
