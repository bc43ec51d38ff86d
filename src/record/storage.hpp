// Where the blocks of a recording are: in a file that is mapped, or in memory. Blocks come zeroed but for
// their headers, and a block has its header before there is room for the next: who finds none at some place
// has found all that were there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

#include "record/log_block.hpp"

namespace plumb {

struct Room {
  char* memory = nullptr;
  std::uint64_t offset = 0;  // in the recording
};

inline Room begin_block(char* memory, std::uint64_t offset, LogBlockHeader header) {
  header.offset = offset;
  if (header.number == 0) header.log = offset;
  header.write(memory);
  return {memory, offset};
}

// Safe to use from several threads.
class Storage {
 public:
  virtual ~Storage() = default;
  // The size is that of the header, which learns its place.
  [[nodiscard]] virtual Result<Room> take(LogBlockHeader header) = 0;
  // The writer is done with it. What it has stays in the recording.
  virtual void leave(char* memory, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

// Everything is on the disk, or at least in the kernel's hands, as soon as it is written. Room is taken from
// the file system when a block is, so that a full disk is an error here and not a signal later.
[[nodiscard]] Result<std::unique_ptr<Storage>> file_storage(const std::string& path, std::uint64_t limit);

class MemoryStorage final : public Storage {
 public:
  explicit MemoryStorage(std::uint64_t limit);
  ~MemoryStorage() override;
  [[nodiscard]] Result<Room> take(LogBlockHeader header) override;
  void leave(char* /*memory*/, std::size_t /*bytes*/) override {}
  [[nodiscard]] std::uint64_t bytes() const override;

  [[nodiscard]] std::vector<std::string_view> blocks() const;  // in the order of their offsets
  // Forgets them all, and keeps their memory for others.
  void clear();

 private:
  struct Blocks;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace plumb
