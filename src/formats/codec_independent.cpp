// independent: Jepsen's events, in whichever of their three forms, with values [key value] as
// jepsen.independent makes them. Each key is an object of its own. Nothing in a file tells these from plain
// values that are pairs, so this format must be named.
#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/event_lines.hpp"
#include "formats/jepsen_codec.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

Result<const JepsenCodec*> form_of(const Codec* codec, std::string_view what) {
  const auto* form = dynamic_cast<const JepsenCodec*>(codec);
  if (form != nullptr) return form;
  return Error{
      fmt::format("not {} of Jepsen; expected events, edn or jepsen-log with values [key value]", what),
      {1, 1}};
}

class IndependentCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "independent"; }
  [[nodiscard]] std::string_view summary() const override {
    return "events, edn or jepsen-log with values [key value] of jepsen.independent, one object per key";
  }
  [[nodiscard]] Recognition recognises(std::string_view /*head*/) const override { return Recognition::kNo; }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    const bool is_empty = trim(without_byte_order_mark(bytes)).empty();
    const auto form = form_of(is_empty ? &events_codec() : recognise(bytes).codec, "events");
    if (!form) return form.error();
    return (*form)->read_all(bytes, JepsenValues::kIndependent);
  }
  [[nodiscard]] std::unique_ptr<EventReader> event_reader(EventSink& sink) const override {
    return std::make_unique<EventLines>([&sink](const Codec& codec) -> Result<std::unique_ptr<EventReader>> {
      const auto form = form_of(&codec, "an event");
      if (!form) return form.error();
      return (*form)->line_reader(sink, JepsenValues::kIndependent);
    });
  }
};

}  // namespace

const Codec& independent_codec() {
  static const IndependentCodec codec;
  return codec;
}

}  // namespace plumb
