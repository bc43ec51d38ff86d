// A recording in bytes: where it ends, and its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

#include "record/log_block.hpp"

namespace plumb {

// How many bytes at the front of `bytes` are one recording: up to the next one, to a history
// in columns, or to the end.
[[nodiscard]] Result<std::size_t> recording_size(std::string_view bytes);

// The recording at the front of `bytes`, which nobody makes longer.
[[nodiscard]] Result<History> read_recording_at(std::string_view bytes, std::shared_ptr<Values> values);

// For bytes that are a recording which somebody may be writing: a moment up to which it can be
// read (recording_reader.hpp) from bytes that are looked for afterwards. Nothing for others, nor
// for what cannot be read.
[[nodiscard]] std::optional<std::uint64_t> growing_recording_moment(std::string_view bytes);
[[nodiscard]] Result<History> read_growing_recording(std::string_view bytes, std::uint64_t moment);

}  // namespace plumb
