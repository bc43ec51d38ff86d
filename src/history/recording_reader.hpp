// Recordings to histories: the logs of all threads, merged by the stamps of their calls.
//
// Somebody may still be writing. What is taken of a recording is then all of it up to some moment: operations that were
// called later are left out, and those that had not returned are pending. That is a history which could have ended there,
// so a verdict on it stands.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

// The blocks of one recording, by their offsets, each whole and at an address that is a multiple of eight.
[[nodiscard]] Result<History> read_recording(std::span<const std::string_view> blocks,
                                             std::shared_ptr<Values> values);

}  // namespace plumb
