// What the three forms of Jepsen's events share as formats, and how `independent` reads any of them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/codec.hpp"
#include "formats/jepsen_event.hpp"

namespace plumb {

class JepsenCodec : public Codec {
 public:
  // Every event of a text without a byte order mark; and of one line after the other.
  [[nodiscard]] virtual Status read_events(std::string_view text, JepsenEvents& events) const = 0;
  [[nodiscard]] virtual std::unique_ptr<EventReader> line_reader(EventSink& sink,
                                                                 JepsenValues kind) const = 0;

  [[nodiscard]] Result<std::vector<History>> read_all(std::string_view bytes, JepsenValues kind) const;

  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const final {
    return read_all(bytes, JepsenValues::kPlain);
  }
  [[nodiscard]] std::unique_ptr<EventReader> event_reader(EventSink& sink) const final {
    return line_reader(sink, JepsenValues::kPlain);
  }
};

}  // namespace plumb
