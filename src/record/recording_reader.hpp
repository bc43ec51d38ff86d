// Recordings to histories: the logs of all threads, merged by the stamps of their calls.
//
// Somebody may still be writing. What is taken of a recording is then all of it up to some moment: operations
// that were called later are left out, and those that had not returned are pending. That is a history which
// could have ended there, so a verdict on it stands.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

// Blocks are those of one recording, by their offsets, each whole and at an address that is a multiple of
// eight.

// The latest stamp in it: a moment up to which it can be read.
[[nodiscard]] Result<std::uint64_t> recording_moment(std::span<const std::string_view> blocks);

// The recording up to a moment that was found before its blocks were looked for.
[[nodiscard]] Result<History> read_recording(std::span<const std::string_view> blocks, std::uint64_t moment,
                                             std::shared_ptr<Values> values);

}  // namespace plumb
