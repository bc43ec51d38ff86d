// What every fuzzer asks of a history that could be read: it survives being written and read again, in each
// format.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/files.hpp>

#include "formats/codecs.hpp"

namespace plumb::fuzz {

[[noreturn]] inline void fail(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(text.size()), text.data());
  std::abort();
}

// What every format keeps: the operations in the order of their calls, and the order of events.
inline std::string essence(const History& history) {
  std::string out = history.model() + history.name() + history.values().to_json(history.initial()) + "\n";
  for (const Event event : history.events()) {
    const OperationId op = event.operation();
    out += event.is_return() ? "return " : "call ";
    out += history.describe(op) + history.values().to_json(history.object(op)) + "\n";
  }
  return out;
}

inline void check_round_trip(const std::vector<History>& histories, const Codec& codec) {
  std::string text;
  for (const History& history : histories) {
    if (!codec.write(history, text)) return;  // more than the format can hold
  }
  const auto again = parse_histories(text, codec.name());
  if (!again) fail("written, but not readable: " + again.error().text(), text);
  if (again->size() != histories.size()) fail("another number of histories", text);
  for (std::size_t i = 0; i < histories.size(); ++i) {
    if (essence((*again)[i]) != essence(histories[i]))
      fail("another history: " + essence(histories[i]), text);
  }
}

// Of what was read from `text`: a history, or an error that says something.
inline void check_read(const Result<std::vector<History>>& histories, std::string_view text) {
  if (!histories) {
    if (histories.error().message.empty()) fail("an error without a message", text);
    return;
  }
  for (const Codec* codec : all_codecs()) {
    if (codec->can_write()) check_round_trip(*histories, *codec);
  }
}

}  // namespace plumb::fuzz
