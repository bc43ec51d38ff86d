// A recording in bytes: where it ends, and its blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

#include "history/log_block.hpp"

namespace plumb {

// How many bytes at the front of `bytes` are one recording: up to the next one, to a history in columns, or to the end.
[[nodiscard]] Result<std::size_t> recording_size(std::string_view bytes);

// The recording at the front of `bytes`.
[[nodiscard]] Result<History> read_recording_at(std::string_view bytes, std::shared_ptr<Values> values);

}  // namespace plumb
