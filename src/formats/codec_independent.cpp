// independent: Jepsen's events, in whichever of their three forms, with values [key value] as jepsen.independent makes them. Each
// key is an object of its own. Nothing in a file tells these from plain values that are pairs, so this format must be named.
#include "formats/codecs.hpp"
#include "formats/event_lines.hpp"
#include "formats/sniff.hpp"

namespace plumb {
namespace {

Status read_events(std::string_view text, JepsenEvents& events) {
  switch (sniff(trim(text).substr(0, kSniffed))) {
    case Shape::kEvents:
      return read_json_events(text, events);
    case Shape::kEdn:
      return read_edn_events(text, {1, 1}, events);
    case Shape::kJepsenLog:
      return read_log_lines(text, events);
    default:
      return Error{"not events of Jepsen; expected events, edn or jepsen-log with values [key value]",
                   {1, 1}};
  }
}

class IndependentCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "independent"; }
  [[nodiscard]] std::string_view summary() const override {
    return "events, edn or jepsen-log with values [key value] of jepsen.independent, an object a key";
  }
  [[nodiscard]] bool recognises(std::string_view /*head*/) const override { return false; }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    const std::string_view text = without_byte_order_mark(bytes);
    if (auto status = check_utf8(text); !status) return status.error();
    HistorySink sink;
    JepsenEvents events(sink, true, JepsenValues::kIndependent);
    if (!trim(text).empty()) {
      if (auto status = read_events(text, events); !status) return status.error();
    }
    if (auto status = events.end_history(!sink.has_histories()); !status) return status.error();
    return sink.take_histories();
  }
};

}  // namespace

const Codec& independent_codec() {
  static const IndependentCodec codec;
  return codec;
}

}  // namespace plumb
