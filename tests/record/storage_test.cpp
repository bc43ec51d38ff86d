// A file that has no room: nobody who has mapped it is killed, neither who writes nor who reads. What the
// system answers is put in its mouth here: a disk that becomes full in the middle cannot be had otherwise.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "record/storage.hpp"
#include "support.hpp"

namespace {

// How much longer the file may become, where that is not 'as it is'.
constexpr off_t kAsItIs = -1;
off_t room_left = kAsItIs;
off_t longest = 0;  // it has been

off_t size_of(int file) {
  struct stat about {};
  return fstat(file, &about) == 0 ? about.st_size : 0;
}
off_t grow(int file, off_t until) {
  const off_t size = size_of(file);
  const off_t some = std::clamp<off_t>(until - size, 0, room_left);
  syscall(SYS_ftruncate, file, size + some);
  room_left -= some;
  longest = std::max(longest, size + some);
  return some;
}

}  // namespace

// On a file system that cannot reserve room, and is nearly full. The C library then writes into every block.
extern "C" int posix_fallocate(int file, off_t offset, off_t length) {
  if (room_left == kAsItIs) return syscall(SYS_fallocate, file, 0, offset, length) == 0 ? 0 : errno;
  grow(file, offset + length);
  return size_of(file) < offset + length ? ENOSPC : 0;
}
extern "C" int fallocate(int file, int mode, off_t offset, off_t length) {
  if (room_left == kAsItIs) return static_cast<int>(syscall(SYS_fallocate, file, mode, offset, length));
  errno = EOPNOTSUPP;
  return -1;
}
extern "C" ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (room_left == kAsItIs) return syscall(SYS_pwrite64, file, bytes, size, offset);
  const off_t some = grow(file, offset + static_cast<off_t>(size));
  if (some > 0) return some;
  errno = ENOSPC;
  return -1;
}

namespace plumb {
namespace {

class FullDisk : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(storage_.ok()); }
  void TearDown() override { room_left = kAsItIs; }
  Result<Room> take(std::uint64_t size) { return (*storage_)->take({.number = 0, .size = size}); }
  [[nodiscard]] off_t size() const {
    struct stat about {};
    return stat(path_.c_str(), &about) == 0 ? about.st_size : 0;
  }

  test::Folder folder_;
  std::string path_ = folder_.file("full.plumb");
  Result<std::unique_ptr<Storage>> storage_ = file_storage(path_, 0);
};

TEST_F(FullDisk, TheFileNeverBecomesShorter) {
  ASSERT_TRUE(take(4096).ok());
  longest = 0;
  room_left = 5000;  // in the middle of the second page
  const auto none = take(16384);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().text(), path_ + ": cannot write: No space left on device");
  EXPECT_GE(size(), longest);  // who has mapped it in between can still read it
  EXPECT_EQ((*storage_)->bytes(), 4096U);
}

TEST_F(FullDisk, WhatCouldNotBeUsedIsUsedByTheNextTry) {
  ASSERT_TRUE(take(4096).ok());
  room_left = 5000;
  ASSERT_FALSE(take(16384).ok());
  room_left = 100'000;
  const auto room = take(16384);
  ASSERT_TRUE(room.ok()) << room.error().text();
  EXPECT_EQ(room->offset, 4096U);
  EXPECT_EQ(size(), 4096 + 16384);
  room_left = kAsItIs;
  const auto more = take(8192);
  ASSERT_TRUE(more.ok()) << more.error().text();
  EXPECT_EQ(more->offset, 4096U + 16384U);
  EXPECT_EQ(size(), 4096 + 16384 + 8192);
}

}  // namespace
}  // namespace plumb
