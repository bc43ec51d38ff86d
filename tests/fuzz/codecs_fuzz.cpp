// The first byte of the input names a format, the rest is a text of it. No text may bring a codec down, and
// what parses must survive being written and parsed again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <plumb/files.hpp>

#include "history/codecs.hpp"
#include "support/binary_seal.hpp"

namespace {

using plumb::Event;
using plumb::History;
using plumb::OperationId;

[[noreturn]] void fail(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(text.size()), text.data());
  std::abort();
}

// What every format keeps: the operations in the order of their calls, and the order of events.
std::string essence(const History& history) {
  std::string out = history.model() + history.name() + history.values().to_json(history.initial()) + "\n";
  for (const Event event : history.events()) {
    const OperationId op = event.operation();
    out += event.is_return() ? "return " : "call ";
    out += history.describe(op) + history.values().to_json(history.object(op)) + "\n";
  }
  return out;
}

void check_round_trip(const std::vector<History>& histories, const plumb::Codec& codec) {
  std::string text;
  for (const History& history : histories) {
    if (!codec.write(history, text)) return;  // more than the format can hold
  }
  const auto again = plumb::parse_histories(text, codec.name());
  if (!again) fail("written, but not readable: " + again.error().text(), text);
  if (again->size() != histories.size()) fail("another number of histories", text);
  for (std::size_t i = 0; i < histories.size(); ++i) {
    if (essence((*again)[i]) != essence(histories[i]))
      fail("another history: " + essence(histories[i]), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (text.starts_with(plumb::kBinaryMagic)) plumb::seal(text);  // or nothing would get past the checksums
  const auto codecs = plumb::all_codecs();
  const std::size_t format = data[0] % (codecs.size() + 1);
  const auto histories =
      plumb::parse_histories(text, format == codecs.size() ? "auto" : codecs[format]->name());
  if (!histories) {
    if (histories.error().message.empty()) fail("an error without a message", text);
    return 0;
  }
  for (const plumb::Codec* codec : codecs) {
    if (codec->can_write()) check_round_trip(*histories, *codec);
  }
  return 0;
}
