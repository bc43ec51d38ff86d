// Histories in files: every format, recognised by content, compressed or not; and back into files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

// Reads every history of a file ("-": standard input). `format` is a name from history_formats(), or "auto".
// An empty file is one empty history. Errors name the file, the line, the column and what was expected.
[[nodiscard]] Result<std::vector<History>> read_histories(const std::string& path,
                                                          std::string_view format = "auto");

// The same from bytes in memory, already decompressed or not; `name` stands in errors.
[[nodiscard]] Result<std::vector<History>> parse_histories(std::string_view bytes,
                                                           std::string_view format = "auto",
                                                           const std::string& name = "");

// Writes histories to a file ("-": standard output). "auto" takes the format from the file name; a name that ends in
// .gz or .zst compresses.
[[nodiscard]] Status write_histories(std::span<const History> histories, const std::string& path,
                                     std::string_view format = "auto");

// The histories as text of that format.
[[nodiscard]] Result<std::string> format_histories(std::span<const History> histories,
                                                   std::string_view format);

struct FormatInfo {
  std::string name;
  std::string summary;
  bool can_write = false;
};
[[nodiscard]] std::span<const FormatInfo> history_formats();

}  // namespace plumb
