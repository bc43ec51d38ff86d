// The table of codecs.
#include "formats/codecs.hpp"

#include <array>

#include <fmt/format.h>

namespace plumb {

Status Codec::write(const History& /*history*/, std::string& /*out*/) const {
  return Error{fmt::format("the format {} can be read, but not written", name())};
}

std::span<const Codec* const> all_codecs() {
  static const std::array<const Codec*, 8> codecs = {
      &jsonl_codec(), &events_codec(), &edn_codec(),    &jepsen_log_codec(),
      &hist_codec(),  &violat_codec(), &binary_codec(), &independent_codec()};
  return codecs;
}

}  // namespace plumb
