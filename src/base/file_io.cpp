// POSIX calls, each with its error turned into a sentence.
#include "base/file_io.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plumb {
namespace {

Error failure(const std::string& path, std::string_view what) {
  return Error{fmt::format("cannot {}: {}", what, std::strerror(errno)), {}, path};
}

Status write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(path, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok{};
}

// What is not a regular file (a pipe, /dev/null) cannot be replaced, only written to.
Status write_in_place(const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return failure(path, "write");
  auto status = write_all(descriptor, bytes, path);
  if (::close(descriptor) != 0 && status) return failure(path, "write");
  return status;
}

mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

Status replace(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return failure(path, "write");
  auto status = write_all(descriptor, bytes, path);
  if (status && ::fchmod(descriptor, mode) != 0) status = failure(path, "write");
  if (::close(descriptor) != 0 && status) status = failure(path, "write");
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0) status = failure(path, "write");
  if (!status) ::unlink(temporary.c_str());
  return status;
}

// A link stays, what it leads to is replaced.
std::filesystem::path followed(const std::string& path) {
  std::error_code none;
  auto real = std::filesystem::canonical(path, none);
  return none ? std::filesystem::path(path) : real;
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  const int descriptor = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failure(path, "read");
  InputFile file(path, descriptor);
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) return failure(path, "read");
  if (S_ISDIR(about.st_mode)) return Error{"is a folder; expected a file", {}, path};
  if (path != "-" && S_ISREG(about.st_mode) && about.st_size > 0) {
    file.map(static_cast<std::size_t>(about.st_size));
  }
  return file;
}

// It stays unmapped where that is not possible.
void InputFile::map(std::size_t size) {
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (mapping == MAP_FAILED) return;
  mapping_ = mapping;
  size_ = size;
  ::madvise(mapping, size, MADV_SEQUENTIAL);
}

void InputFile::unmap() {
  if (void* mapping = std::exchange(mapping_, nullptr)) ::munmap(mapping, size_);
}

Status InputFile::map_again() {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) return failure(path_, "read");
  unmap();
  map(static_cast<std::size_t>(about.st_size));
  if (!is_mapped()) return failure(path_, "map");
  return Ok{};
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      size_(other.size_) {}

InputFile::~InputFile() {
  unmap();
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status InputFile::read(std::string& out, std::size_t size) {
  constexpr std::size_t kChunk = std::size_t{1} << 20U;
  while (out.size() < size) {
    const std::size_t before = out.size();
    out.resize(before + std::min(kChunk, size - before));
    const ssize_t got = ::read(descriptor_, out.data() + before, out.size() - before);
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return failure(path_, "read");
    if (got == 0) break;
  }
  return Ok{};
}

Status can_write_file(const std::string& path) {
  if (path == "-") return Ok{};
  const std::filesystem::path target = followed(path);
  struct stat about {};
  const bool exists = ::stat(target.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) return Error{"is a folder; expected the name of a file", {}, path};
  if (exists && ::access(target.c_str(), W_OK) != 0) return failure(path, "write");
  if (exists && !S_ISREG(about.st_mode)) return Ok{};
  const auto folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return failure(path, "write");
  return Ok{};
}

Status append_file(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_all(STDOUT_FILENO, bytes, "standard output");
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
  if (descriptor < 0) return failure(path, "write");
  auto status = write_all(descriptor, bytes, path);
  if (::close(descriptor) != 0 && status) status = failure(path, "write");
  return status;
}

Status write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_all(STDOUT_FILENO, bytes, "standard output");
  if (auto status = can_write_file(path); !status) return status;  // a rename would not ask
  const std::string target = followed(path).string();
  struct stat about {};
  if (::stat(target.c_str(), &about) != 0) return replace(target, bytes, usual_mode());
  if (!S_ISREG(about.st_mode)) return write_in_place(target, bytes);
  return replace(target, bytes, about.st_mode & 0777);
}

}  // namespace plumb
