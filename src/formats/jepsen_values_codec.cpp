#include "formats/jepsen_values_codec.hpp"

#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/event_lines.hpp"
#include "formats/jepsen_codec.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

Result<const JepsenCodec*> form_of(const Codec* codec, std::string_view what, std::string_view values) {
  const auto* form = dynamic_cast<const JepsenCodec*>(codec);
  if (form != nullptr) return form;
  return Error{fmt::format("not {} of Jepsen; expected events, edn or jepsen-log {}", what, values), {1, 1}};
}

}  // namespace

Result<std::vector<History>> JepsenValuesCodec::read(std::string_view bytes) const {
  const bool is_empty = trim(without_byte_order_mark(bytes)).empty();
  const auto form = form_of(is_empty ? &events_codec() : recognise(bytes).codec, "events", values_);
  if (!form) return form.error();
  return (*form)->read_all(bytes, kind_);
}

std::unique_ptr<EventReader> JepsenValuesCodec::event_reader(EventSink& sink) const {
  return std::make_unique<EventLines>(
      [this, &sink](const Codec& codec) -> Result<std::unique_ptr<EventReader>> {
        const auto form = form_of(&codec, "an event", values_);
        if (!form) return form.error();
        return (*form)->line_reader(sink, kind_);
      });
}

}  // namespace plumb
