// Blocks in a file, each mapped by itself. What a block holds is the kernel's from the moment it is written.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "record/storage.hpp"

namespace plumb {
namespace {

Error failure(const std::string& path, std::string_view what, int error) {
  return Error{"cannot " + std::string(what) + ": " + std::strerror(error), {}, path};
}

class FileStorage final : public Storage {
 public:
  FileStorage(std::string path, int descriptor, std::uint64_t limit)
      : path_(std::move(path)), descriptor_(descriptor), limit_(limit) {}
  ~FileStorage() override { ::close(descriptor_); }

  Result<Room> take(LogBlockHeader header) override {
    const std::size_t bytes = header.size;
    const std::scoped_lock lock(mutex_);
    if (limit_ != 0 && bytes_ + bytes > limit_) {
      return Error{"the recording has reached its limit of " + std::to_string(limit_) + " bytes", {}, path_};
    }
    if (const int error = make_room(bytes); error != 0) return failure(path_, "write", error);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor_,
                          static_cast<off_t>(bytes_));
    if (memory == MAP_FAILED) return failure(path_, "map", errno);
    const std::uint64_t offset = bytes_.fetch_add(bytes);
    return begin_block(static_cast<char*>(memory), offset, header);
  }
  void leave(char* memory, std::size_t bytes) override { ::munmap(memory, bytes); }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  // Sees to it that the file has that many zeros behind the last block, for which the file system has room.
  // The file is never longer than what it has room for, so that nobody who writes to a mapping is killed for
  // want of it; and it never becomes shorter, so that nobody is who reads from one: what cannot be used now
  // stays as zeros, for the next try. 0, or an errno.
  [[nodiscard]] int make_room(std::size_t bytes) const {
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) return errno;
    const auto wanted = static_cast<off_t>(bytes_ + bytes);
    if (about.st_size >= wanted) return 0;
    const int error = reserve(about.st_size, wanted);
    if (error == EOPNOTSUPP || error == ENOSYS) return write_zeros(about.st_size, wanted);
    if (error != 0) return error;
    return ::ftruncate(descriptor_, wanted) == 0 ? 0 : errno;
  }
  // Room behind the end of the file, which stays where it is.
  [[nodiscard]] int reserve(off_t from, off_t until) const {
    int result = 0;
    do {
      result = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, from, until - from);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
  }
  // Where the file system cannot reserve any.
  [[nodiscard]] int write_zeros(off_t from, off_t until) const {
    static constexpr std::array<char, 1U << 16U> kZeros = {};
    while (from < until) {
      const auto some = std::min<off_t>(until - from, static_cast<off_t>(kZeros.size()));
      const ssize_t written = ::pwrite(descriptor_, kZeros.data(), static_cast<std::size_t>(some), from);
      if (written < 0 && errno != EINTR) return errno;
      from += std::max<ssize_t>(written, 0);
    }
    return 0;
  }

  std::string path_;
  int descriptor_;
  std::uint64_t limit_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> bytes_ = 0;  // of all blocks, which stand one behind the other
};

}  // namespace

Result<std::unique_ptr<Storage>> file_storage(const std::string& path, std::uint64_t limit) {
  // A file that somebody still reads, or has mapped, keeps what it has: the new one takes its name.
  if (struct stat about{}; ::stat(path.c_str(), &about) == 0) {
    if (!S_ISREG(about.st_mode)) return Error{"is not a regular file; a recording needs one", {}, path};
    if (::unlink(path.c_str()) != 0) return failure(path, "replace", errno);
  }
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return failure(path, "write", errno);
  return std::unique_ptr<Storage>(std::make_unique<FileStorage>(path, descriptor, limit));
}

}  // namespace plumb
