#include "formats/jepsen_codec.hpp"

#include "history/text.hpp"

namespace plumb {

Result<std::vector<History>> JepsenCodec::read_all(std::string_view bytes, JepsenValues kind) const {
  HistorySink sink;
  JepsenEvents events(sink, true, kind);
  if (auto status = read_events(without_byte_order_mark(bytes), events); !status) return status.error();
  if (auto status = events.end_history(!sink.has_histories()); !status) return status.error();
  return sink.take_histories();
}

}  // namespace plumb
