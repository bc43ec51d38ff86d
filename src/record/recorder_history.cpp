// From a recorder to a history, without a detour over a file where there is none.
#include <plumb/files.hpp>
#include <plumb/record.hpp>

#include "history/recording_reader.hpp"
#include "record/recorder_state.hpp"

namespace plumb {

Result<History> Recorder::history() const {
  const State& own = *state_;
  if (own.memory != nullptr) {
    // Its own clock says up to which moment: whatever has returned by now did so before the blocks are looked for.
    const std::uint64_t moment = clock_.before();
    return read_recording(own.memory->blocks(), moment, std::make_shared<Values>());
  }
  auto histories = read_histories(own.path, "binary");
  if (!histories) return histories.error();
  return std::move(histories->front());
}

}  // namespace plumb
