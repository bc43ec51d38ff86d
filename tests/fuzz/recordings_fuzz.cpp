// The input says which slots stand in which blocks of a recording; headers and sums are made for it, and the
// room behind the slots is empty, as a recorder leaves it. However little sense the slots make, readers tell
// a history or an error, of the recording as a whole and of one that grows.
//
// A block is three bytes and its slots: the number of its log, how it ends, the number of slots.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "fuzz/round_trip.hpp"
#include "record/log_block.hpp"
#include "record/recording_tail.hpp"

namespace {

using plumb::LogBlockHeader;
using plumb::LogBlockView;
using plumb::LogSlot;

// How a block ends.
constexpr std::uint8_t kSealed = 1;
constexpr std::uint8_t kLast = 2;  // of its log
constexpr std::uint8_t kWrongSum = 4;
constexpr std::uint8_t kNames = 8;  // a log without operations, if this is its first block
constexpr std::size_t kBlockHead = 3;
constexpr std::size_t kMostBlocks = 64;

struct Logs {
  struct Log {
    std::uint64_t offset = 0;
    std::uint32_t blocks = 0;
    std::uint64_t process = 0;
  };
  std::array<Log, 256> all;

  LogBlockHeader next(std::uint8_t number, std::uint8_t end, std::uint64_t offset) {
    Log& log = all[number];
    if (log.blocks == 0) log = {offset, 0, (end & kNames) != 0 ? 0U : number + 1U};
    return {log.blocks++, plumb::kLogPage, offset, log.offset, log.process};
  }
};

std::string recording_of(const std::uint8_t* data, std::size_t size) {
  std::string bytes;
  Logs logs;
  while (size >= kBlockHead && bytes.size() < kMostBlocks * plumb::kLogPage) {
    const std::uint8_t end = data[1];
    const LogBlockHeader header = logs.next(data[0], end, bytes.size());
    const std::size_t wanted = data[2];
    data += kBlockHead;
    size -= kBlockHead;
    bytes.resize(bytes.size() + plumb::kLogPage);
    char* const block = bytes.data() + header.offset;
    header.write(block);
    const std::size_t room = LogBlockView(header, block).room();
    const std::size_t slots = std::min(wanted, room);
    const std::size_t given = std::min(size, slots * sizeof(LogSlot));
    std::memcpy(block + LogBlockHeader::kSize, data, given);
    data += given;
    size -= given;
    if ((end & kSealed) == 0) continue;
    LogSlot seal;
    seal.head = LogSlot::make_head(plumb::SlotKind::kSeal);
    seal.duration = static_cast<std::uint32_t>(wanted);  // too many, perhaps
    seal.time = plumb::log_sum(block, slots) + ((end & kWrongSum) != 0 ? 1 : 0);
    seal.argument = (end & kLast) != 0 ? LogSlot::kLastBlock : 0;
    std::memcpy(block + LogBlockHeader::kSize + room * sizeof(LogSlot), &seal, sizeof(seal));
  }
  return bytes;
}

// As `watch --follow` reads it, until there is no more.
void follow(const std::string& bytes) {
  const int descriptor = ::memfd_create("recording", MFD_CLOEXEC);
  if (descriptor < 0 ||
      ::write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    plumb::fuzz::fail("no file in memory", "");
  }
  plumb::HistorySink sink;
  if (auto tail = plumb::RecordingTail::open("/proc/self/fd/" + std::to_string(descriptor)); tail.ok()) {
    plumb::Status told = plumb::Ok{};
    auto next = tail->next(sink, told);
    while (next.ok() && told.ok() && *next == plumb::RecordingTail::Next::kEvent)
      next = tail->next(sink, told);
    if (!next.ok() && next.error().message.empty()) plumb::fuzz::fail("an error without a message", "");
  }
  ::close(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = recording_of(data, size);
  if (bytes.empty()) return 0;
  plumb::fuzz::check_read(plumb::parse_histories(bytes, "binary"), "a recording");
  follow(bytes);
  return 0;
}
