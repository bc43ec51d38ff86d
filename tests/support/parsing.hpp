// Short words for the tests of the codecs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <plumb/files.hpp>

namespace plumb {

// The histories of a text that must be readable.
inline std::vector<History> parsed(std::string_view text, std::string_view format = "auto") {
  auto histories = parse_histories(text, format, "test");
  if (!histories) {
    ADD_FAILURE() << histories.error().text();
    return {};
  }
  return std::move(*histories);
}

// The one history of a text.
inline History parsed_one(std::string_view text, std::string_view format = "auto") {
  auto histories = parsed(text, format);
  EXPECT_EQ(histories.size(), 1U);
  return histories.empty() ? History() : std::move(histories[0]);
}

// What is wrong with a text: "line:column: message".
inline std::string fault(std::string_view text, std::string_view format = "auto") {
  const auto histories = parse_histories(text, format, "");
  return histories ? "no fault" : histories.error().text();
}

// Whether a fault is at that place and says that.
inline ::testing::AssertionResult says(const std::string& fault, std::string_view place,
                                       std::string_view words) {
  const std::string begin = fmt::format("{}: ", place);
  if (fault.starts_with(begin) && fault.find(words) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected " << begin << "…" << words << "…, got " << fault;
}

// One line an operation, in the order of the calls, with happens-before as positions of events: what every
// format keeps.
inline std::string essence(const History& history) {
  std::vector<std::size_t> call(history.size());
  std::vector<std::size_t> ret(history.size());
  std::vector<OperationId> order;
  for (std::size_t i = 0; i < history.events().size(); ++i) {
    const Event event = history.events()[i];
    (event.is_return() ? ret : call)[event.operation()] = i;
    if (!event.is_return()) order.push_back(event.operation());
  }
  std::string out = fmt::format("model '{}' initial {} name '{}'\n", history.model(),
                                history.values().to_json(history.initial()), history.name());
  for (const OperationId op : order) {
    out += fmt::format("{} object {} at {}", history.describe(op),
                       history.values().to_json(history.object(op)), call[op]);
    out += history.is_pending(op) ? "\n" : fmt::format("-{}\n", ret[op]);
  }
  return out;
}

// The text of histories in a format that must be able to hold them.
inline std::string formatted(std::span<const History> histories, std::string_view format) {
  auto text = format_histories(histories, format);
  if (!text) {
    ADD_FAILURE() << text.error().text();
    return "";
  }
  return *text;
}
inline std::string formatted(const History& history, std::string_view format) {
  return formatted({&history, 1}, format);
}

}  // namespace plumb
