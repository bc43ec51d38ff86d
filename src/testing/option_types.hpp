// Types of options that CLI11 has not, or not as test programs want them.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace plumb::testing {

// What CLI11 says of a number that is none is a language of its own; and it reads numbers as the locale writes them, which may be
// with a comma: the program may have set one before. So the texts are read here.
template <class Number, class Accept>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& number, const std::string& what,
                        const Accept& accept, const std::string& expected) {
  return app.add_option_function<std::string>(
      name,
      [name, &number, accept, expected](const std::string& text) {
        Number read{};
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, read);
        if (error != std::errc() || rest != end || !accept(read))
          throw CLI::ValidationError(name, fmt::format("'{}'; expected {}", text, expected));
        number = read;
      },
      what);
}

inline CLI::Option* add_seconds(CLI::App& app, const std::string& name, double& seconds,
                                const std::string& what) {
  return add_number(
             app, name, seconds, what, [](double read) { return std::isfinite(read) && read >= 0; },
             "a number of seconds from 0, such as 10 or 0.5")
      ->option_text("FLOAT");
}

template <std::integral Number>
CLI::Option* add_whole(CLI::App& app, const std::string& name, Number& number, const std::string& what,
                       Number least = 0) {
  constexpr Number kMost = std::numeric_limits<Number>::max();
  const std::string most = sizeof(Number) == sizeof(std::uint64_t) ? "" : fmt::format(" to {}", kMost);
  return add_number(
             app, name, number, what, [least](Number read) { return read >= least; },
             fmt::format("a whole number from {}{}", least, most))
      ->option_text(fmt::format("{}={}", std::is_signed_v<Number> ? "INT" : "UINT", number));
}

inline CLI::Validator not_empty() {
  return {[](std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); },
          std::string()};
}

// The ending of a file's name says what is to be written.
inline CLI::Validator ends_in(std::vector<std::string> endings) {
  return {[endings = std::move(endings)](std::string& text) {
            for (const std::string& ending : endings) {
              if (text.ends_with(ending)) return std::string();
            }
            return fmt::format("'{}'; expected a name that ends in one of: {}", text,
                               fmt::join(endings, ", "));
          },
          std::string()};
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

}  // namespace plumb::testing
