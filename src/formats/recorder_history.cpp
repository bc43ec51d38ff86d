// From a recorder to a history, without a detour over a file where there is none. Here, not beside the
// recorder: a recording in a file is read as any other file is.
#include <plumb/files.hpp>
#include <plumb/record.hpp>

#include "record/recorder_state.hpp"
#include "record/recording_reader.hpp"

namespace plumb {

Result<History> Recorder::history() const {
  const State& own = *state_;
  if (own.memory != nullptr) {
    // Its own clock says up to which moment: whatever has returned by now did so before the blocks are looked
    // for.
    const std::uint64_t moment = clock_.before();
    return read_recording(own.memory->blocks(), moment, std::make_shared<Values>());
  }
  auto histories = read_histories(own.path, "binary");
  if (!histories) return histories.error();
  return std::move(histories->front());
}

}  // namespace plumb
