// The codecs there are.
#pragma once

#include <span>

#include "formats/codec.hpp"

namespace plumb {

[[nodiscard]] const Codec& jsonl_codec();
[[nodiscard]] const Codec& events_codec();
[[nodiscard]] const Codec& edn_codec();
[[nodiscard]] const Codec& jepsen_log_codec();
[[nodiscard]] const Codec& hist_codec();
[[nodiscard]] const Codec& violat_codec();
[[nodiscard]] const Codec& binary_codec();
[[nodiscard]] const Codec& independent_codec();

[[nodiscard]] std::span<const Codec* const> all_codecs();

}  // namespace plumb
