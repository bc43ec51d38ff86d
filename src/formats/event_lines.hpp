// Events as they come, one line after the other, in a format that is named or shows itself in the first
// lines. What somebody who watches hears is what the codec of the format makes of a whole file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "formats/codec.hpp"

namespace plumb {

class EventLines final : public EventReader {
 public:
  // The reader of a format that was recognised: null for one without events, or an error if it is not wanted
  // here.
  using Open = std::function<Result<std::unique_ptr<EventReader>>(const Codec& codec)>;

  // "auto", or the name of a format.
  EventLines(std::string_view format, EventSink& sink);
  // What is recognised, as somebody else opens it.
  explicit EventLines(Open open) : open_(std::move(open)) {}

  [[nodiscard]] Status line(std::string_view text, std::uint32_t number) override {
    return reader_ ? reader_->line(text, number) : EventReader::line(text, number);
  }

  [[nodiscard]] bool knows_form() const override {
    return codec_ != nullptr && (!reader_ || reader_->knows_form());
  }
  // What it is, once it is known.
  [[nodiscard]] std::string_view format() const { return codec_->name(); }
  // It is known, and has no events: a line means nothing before all are there.
  [[nodiscard]] bool is_whole() const { return codec_ != nullptr && !reader_; }

 private:
  // While the format is not known, or has no events.
  [[nodiscard]] Status plain_line(std::string_view text, std::uint32_t number) override;

  Open open_;
  const Codec* codec_ = nullptr;
  std::unique_ptr<EventReader> reader_;
  std::unique_ptr<EventReader> header_reader_;  // has read a header, which does not tell the format
};

}  // namespace plumb
