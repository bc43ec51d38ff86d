// Line by line: which format it is, and on to its reader.
#include "formats/event_lines.hpp"

#include "formats/codecs.hpp"
#include "formats/sniff.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

bool is_header(std::string_view line) { return line.find("\"plumb\"") != std::string_view::npos; }

// The format that a line shows; null if it shows none: a comment, a header (it is the same in two formats),
// words of a log before its first event.
Result<const Codec*> recognise_line(std::string_view line, std::uint32_t number) {
  if (const auto what = not_a_history(line); !what.empty()) return Error{std::string(what), {number, 1}};
  const Recognised found = recognise(line);
  const bool is_certain = found.how == Recognition::kCertain;
  const bool is_comment = line.starts_with(';') || line.starts_with('#');
  if (is_header(line) || (is_comment && !is_certain)) return nullptr;
  // Whole operations, perhaps, but more likely an event of which something is missing.
  if (found.codec == &jsonl_codec() && !is_certain)
    return Error{"expected an event with process, type, f and value", {number, 1}};
  return found.codec;
}

}  // namespace

EventLines::EventLines(std::string_view format, EventSink& sink)
    : open_([&sink](const Codec& codec) { return codec.event_reader(sink); }), codec_(find_codec(format)) {
  if (codec_ != nullptr) reader_ = codec_->event_reader(sink);
}

Status EventLines::plain_line(std::string_view text, std::uint32_t number) {
  if (codec_ != nullptr) return Ok{};
  auto found = recognise_line(trim(text), number);
  if (!found) return found.error();
  if (*found == nullptr && !is_header(text)) return Ok{};
  const Codec& codec = *found == nullptr ? events_codec() : **found;
  if (&codec != &events_codec() || !header_reader_) {
    auto opened = open_(codec);
    if (!opened) return Error{opened.error().message, {number, 1}};
    header_reader_ = std::move(*opened);
  }
  if (*found == nullptr) return header_reader_->line(text, number);
  codec_ = *found;
  reader_ = std::move(header_reader_);
  return reader_ ? reader_->line(text, number) : Ok{};
}

}  // namespace plumb
