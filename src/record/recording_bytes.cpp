// Blocks stand one after another. After the last may be zeros: room that a program had taken,
// and died before it used it.
#include "record/recording_bytes.hpp"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "record/binary_block.hpp"
#include "record/recording_reader.hpp"

namespace plumb {
namespace {

struct Recording {
  std::vector<std::string_view> blocks;
  std::size_t size = 0;
};

Error damaged(std::size_t at, std::string_view what) {
  return Error{fmt::format("broken recording, in the block at byte {}: {}", at, what)};
}

Result<Recording> find_blocks(std::string_view bytes) {
  Recording found;
  std::optional<std::size_t> gap;
  while (found.size < bytes.size()) {
    const std::string_view rest = bytes.substr(found.size);
    if (rest.size() >= sizeof(std::uint64_t) && !has_header(rest)) {
      if (!gap) gap = found.size;
      found.size += std::min(kLogPage, rest.size());
      continue;
    }
    if (gap && has_header(bytes.substr(*gap))) {  // somebody has just written there, and only then behind it
      found.size = bytes.size();
      break;
    }
    if (rest.starts_with(kBinaryMagic) && rest.size() >= LogBlockHeader::kSize && !is_log_block(rest)) break;
    if (!rest.starts_with(kBinaryMagic.substr(0, rest.size())))
      return damaged(found.size, "expected the beginning of a block");
    if (rest.size() < LogBlockHeader::kSize) return damaged(found.size, "the block is cut off");
    const auto header = LogBlockHeader::read(rest);
    if (!header) return damaged(found.size, header.error().message);
    if (header->offset == 0 && found.size != 0) break;
    if (gap) return damaged(*gap, "expected the beginning of a block");
    if (header->offset != found.size) return damaged(found.size, "a block that does not stand in its place");
    if (header->size > rest.size()) return damaged(found.size, "the block is cut off");
    found.blocks.push_back(rest.substr(0, header->size));
    found.size += header->size;
  }
  return found;
}

}  // namespace

Result<std::size_t> recording_size(std::string_view bytes) {
  const auto found = find_blocks(bytes);
  if (!found) return found.error();
  return found->size;
}

Result<History> read_recording_at(std::string_view bytes, std::shared_ptr<Values> values) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(LogSlot) != 0) {
    const auto size = recording_size(bytes);
    if (!size) return size.error();
    std::vector<std::uint64_t> copy((*size + 7) / 8);
    bytes.copy(reinterpret_cast<char*>(copy.data()), *size);
    return read_recording_at({reinterpret_cast<const char*>(copy.data()), *size}, std::move(values));
  }
  const auto found = find_blocks(bytes);
  if (!found) return found.error();
  const auto moment = recording_moment(found->blocks);
  if (!moment) return moment.error();
  return read_recording(found->blocks, *moment, std::move(values));
}

std::optional<std::uint64_t> growing_recording_moment(std::string_view bytes) {
  if (!is_log_block(bytes)) return std::nullopt;
  const auto found = find_blocks(bytes);
  if (!found || found->size != bytes.size()) return std::nullopt;
  const auto moment = recording_moment(found->blocks);
  return moment ? std::optional(*moment) : std::nullopt;
}

Result<History> read_growing_recording(std::string_view bytes, std::uint64_t moment) {
  const auto found = find_blocks(bytes);
  if (!found) return found.error();
  return read_recording(found->blocks, moment, std::make_shared<Values>());
}

}  // namespace plumb
