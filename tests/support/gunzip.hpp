// The text of a .gz file, read by zlib itself: what the tests know of a file beside what the codecs give.
#pragma once

#include <string>
#include <vector>

#include <zlib.h>

namespace plumb::test {

inline std::string gunzip(const std::string& path) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 20U);
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  for (int n = 0; (n = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  gzclose(file);
  return text;
}

}  // namespace plumb::test
