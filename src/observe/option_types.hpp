// Types of options that CLI11 has not, or not as test programs want them.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace plumb::observe {

// CLI11 reads numbers as the locale writes them, which may be with a comma: the program may have set one before.
inline void add_seconds(CLI::App& app, const std::string& name, double& seconds, const std::string& what) {
  app.add_option_function<std::string>(
         name,
         [name, &seconds](const std::string& text) {
           double read = 0;
           const char* const end = text.data() + text.size();
           const auto [rest, error] = std::from_chars(text.data(), end, read);
           if (error != std::errc() || rest != end || !std::isfinite(read))
             throw CLI::ValidationError(
                 name, fmt::format("'{}'; expected a number of seconds, such as 10 or 0.5", text));
           seconds = read;
         },
         what)
      ->option_text("FLOAT");
}

// Names instead of numbers; CLI11's own transformer says what is wrong in a language of its own.
template <class T>
CLI::Validator one_of(std::map<std::string, T> names) {
  return {[names = std::move(names)](std::string& text) {
            const auto found = names.find(text);
            if (found == names.end()) {
              std::vector<std::string> known;
              for (const auto& [name, value] : names) known.push_back(name);
              return fmt::format("'{}'; expected one of: {}", text, fmt::join(known, ", "));
            }
            text = std::to_string(static_cast<int>(found->second));
            return std::string();
          },
          std::string()};
}

}  // namespace plumb::observe
