// The codecs there are, and which of them a text or the name of a file is for.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "formats/codec.hpp"

namespace plumb {

#define PLUMB_CODEC(name) [[nodiscard]] const Codec& name##_codec();
#include "formats/codecs.def"
#undef PLUMB_CODEC

[[nodiscard]] std::span<const Codec* const> all_codecs();

// By name; null if there is none of that name.
[[nodiscard]] const Codec* find_codec(std::string_view name);

struct Recognised {
  const Codec* codec = nullptr;  // null: of no format that is known
  Recognition how = Recognition::kNo;
};
inline constexpr std::size_t kSniffed = 1U << 16U;  // bytes of the beginning that are looked at
[[nodiscard]] Recognised recognise(std::string_view text);

// By the ending of a file's name, without regard to a compression's; null if no codec has such an ending.
[[nodiscard]] const Codec* codec_by_ending(std::string_view path, bool to_write);

}  // namespace plumb
