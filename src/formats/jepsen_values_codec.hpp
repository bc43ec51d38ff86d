// Jepsen's events, in whichever of their three forms, with values that mean more than they say. Nothing in a file tells these from
// plain ones, so such a format must be named.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "formats/codec.hpp"
#include "formats/jepsen_event.hpp"

namespace plumb {

class JepsenValuesCodec final : public Codec {
 public:
  // `values`: what they are, after "events, edn or jepsen-log".
  JepsenValuesCodec(std::string_view name, std::string_view summary, std::string_view values,
                    JepsenValues kind)
      : name_(name), summary_(summary), values_(values), kind_(kind) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view summary() const override { return summary_; }
  [[nodiscard]] Recognition recognises(std::string_view /*head*/) const override { return Recognition::kNo; }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override;
  [[nodiscard]] std::unique_ptr<EventReader> event_reader(EventSink& sink) const override;

 private:
  std::string_view name_;
  std::string_view summary_;
  std::string_view values_;
  JepsenValues kind_;
};

}  // namespace plumb
