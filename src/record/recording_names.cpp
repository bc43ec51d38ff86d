// Slots of names, one by one.
#include "record/recording_names.hpp"

#include <algorithm>

#include "history/text.hpp"

namespace plumb {

Status RecordingNames::read(const LogExtent& extent) {
  for (std::size_t b = 0; b < extent.blocks().size(); ++b) {
    const LogBlockView& block = extent.blocks()[b];
    for (std::size_t slot = 0; slot < extent.slots(b); ++slot) {
      const auto behind = slots_behind(block, slot, extent.slots(b));
      if (!behind) return behind.error();
      if (auto status = read(block, slot); !status) return status;
      slot += *behind;
    }
  }
  return Ok{};
}

bool RecordingNames::has_objects() const {
  return std::ranges::any_of(functions, [](const Function& f) { return !f.object.empty(); });
}

Status RecordingNames::read(const LogBlockView& block, std::size_t slot) {
  const LogSlot& content = block[slot];
  const auto kind = static_cast<SlotKind>(block.head(slot) & 0xFFU);
  if (kind == SlotKind::kEnds) {
    ends = std::min(ends, block.time(slot));
    return Ok{};
  }
  if (kind != SlotKind::kRecording && kind != SlotKind::kFunction) return Error{"a slot that names nothing"};
  const std::string_view both = block.bytes(slot + 1, std::size_t{content.duration} + content.argument);
  const std::string_view name = both.substr(0, content.duration);
  if (first_invalid_utf8(name)) return Error{"a name that is not UTF-8"};
  if (kind == SlotKind::kRecording) {
    model = name;
    initial = both.substr(content.duration);
    start = content.time;
    begun = true;
    return Ok{};
  }
  const std::size_t number = block.head(slot) >> 16U;
  if (functions.size() <= number) functions.resize(number + 1);
  functions[number] = {std::string(name), std::string(both.substr(content.duration)), true};
  return Ok{};
}

}  // namespace plumb
