// A word as a shell takes it: in quotes, where it has a character that means something there.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace plumb {

inline std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           std::string_view("@/._-:+%=,").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

}  // namespace plumb
