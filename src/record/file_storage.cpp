// Blocks in a file, each mapped by itself. What a block holds is the kernel's from the moment it is written.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const auto offset = extend(bytes);
    if (!offset) return offset.error();
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor_,
                          static_cast<off_t>(*offset));
    if (memory == MAP_FAILED) {
      const int error = errno;
      return failure(path_, "map", give_back(*offset, error));
    }
    bytes_ += bytes;
    return begin_block(static_cast<char*>(memory), *offset, header);
  }
  void leave(char* memory, std::size_t bytes) override { ::munmap(memory, bytes); }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  // The offset of that many zeros at the end of the file, for which the file system has room.
  Result<std::uint64_t> extend(std::size_t bytes) {
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) return failure(path_, "write", errno);
    const off_t size = about.st_size;
    int error = 0;
    do {
      error = ::posix_fallocate(descriptor_, size, static_cast<off_t>(bytes));
    } while (error == EINTR);
    if (error == 0) return static_cast<std::uint64_t>(size);
    return failure(path_, "write", give_back(static_cast<std::uint64_t>(size), error));
  }
  // Nothing is in what was added, if anything was. Which error is to be told.
  [[nodiscard]] int give_back(std::uint64_t size, int error) const {
    return ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0 ? error : errno;
  }

  std::string path_;
  int descriptor_;
  std::uint64_t limit_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Storage>> file_storage(const std::string& path, std::uint64_t limit) {
  // A file that somebody still reads, or has mapped, keeps what it has: the new one takes its name.
  if (struct stat about{}; ::stat(path.c_str(), &about) == 0) {
    if (!S_ISREG(about.st_mode)) return Error{"is no regular file; a recording needs one", {}, path};
    if (::unlink(path.c_str()) != 0) return failure(path, "replace", errno);
  }
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return failure(path, "write", errno);
  return std::unique_ptr<Storage>(std::make_unique<FileStorage>(path, descriptor, limit));
}

}  // namespace plumb
