// A schedule as data: the choices of one execution, in order. Written as a short token with the build it belongs to and a checksum:
// plumb1-BUILD-CHECKSUM-0x3.1.0x2 means thread 0 three times, 1 once, 0 twice. The build is that of the running program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/explore.hpp>
#include <plumb/result.hpp>

#include "explore/strategy.hpp"

namespace plumb::engine {

using Schedule = std::vector<std::uint8_t>;

// The choices so far, where another process sees them.
struct LiveSchedule {
  std::uint32_t size;
  std::uint8_t choices[kMaxSteps * 2];  // a step may also choose an outcome
};

// The checksum is over the choices and `of`, which says what they are choices of: a token that was damaged on its way would run
// another execution than the one that it is about, and call that one right.
// Under a weak memory model, the execution is one along a graph: its choices are, each with its thread, how
// much older than the newest value or place they take. A token of one model is refused by the others.
std::string to_token(MemoryModel model, const Schedule& choices, std::string_view of = {});
Result<Schedule> from_token(MemoryModel model, std::string_view token, std::string_view of = {});
std::optional<MemoryModel> model_of_token(std::string_view token);  // by how it begins
std::string build_id();  // eight hexadecimal digits of the linker's build id; zeros when there is none

// Runs one schedule again; what goes on after its end takes the first option each time.
// Alone: the thread that took the last step must be able to go on.
enum class AtTheEnd : std::uint8_t { kGoOn, kSolo };
std::unique_ptr<Strategy> replay(Schedule schedule, AtTheEnd at_the_end = AtTheEnd::kGoOn);

}  // namespace plumb::engine
