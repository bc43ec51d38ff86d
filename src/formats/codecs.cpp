// The table of codecs.
#include "formats/codecs.hpp"

#include <fmt/format.h>

#include "history/text.hpp"

namespace plumb {

Status EventReader::line(std::string_view text, std::uint32_t number) {
  if (number == 1) text = without_byte_order_mark(text);
  if (trim(text).empty()) return Ok{};
  if (const auto bad = first_invalid_utf8(text))
    return Error{"not valid UTF-8", {number, static_cast<std::uint32_t>(*bad + 1)}};
  return plain_line(text, number);
}

std::unique_ptr<EventReader> Codec::event_reader(EventSink& /*sink*/) const { return nullptr; }

Status Codec::write(const History& /*history*/, std::string& /*out*/) const {
  return Error{fmt::format("the format {} can be read, but not written", name())};
}

std::span<const Codec* const> all_codecs() {
  static const Codec* const codecs[] = {
#define PLUMB_CODEC(name) &name##_codec(),
#include "formats/codecs.def"
#undef PLUMB_CODEC
  };
  return codecs;
}

const Codec* find_codec(std::string_view name) {
  for (const Codec* codec : all_codecs()) {
    if (codec->name() == name) return codec;
  }
  return nullptr;
}

Recognised recognise(std::string_view text) {
  const std::string_view head = trim(without_byte_order_mark(text)).substr(0, kSniffed);
  Recognised best;
  for (const Codec* codec : all_codecs()) {
    const Recognition how = codec->recognises(head);
    if (how > best.how) best = {codec, how};
  }
  return best;
}

const Codec* codec_by_ending(std::string_view path, bool to_write) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  const Codec* found = nullptr;
  std::size_t longest = 0;
  for (const Codec* codec : all_codecs()) {
    if (to_write && !codec->can_write()) continue;
    for (const std::string_view ending : codec->endings()) {
      if (ending.size() <= longest || !path.ends_with(ending)) continue;
      found = codec;
      longest = ending.size();
    }
  }
  return found;
}

}  // namespace plumb
