// Journals: lines come back as they were written, wherever the file is cut off, and nothing else passes for one.
#include "journal/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace plumb {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class JournalFile : public testing::Test {
 protected:
  JournalFile() { fs::remove(path_); }
  ~JournalFile() override { fs::remove(path_); }

  [[nodiscard]] std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  // Three pieces.
  void fill() const {
    auto journal = Journal::open(path_);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->begin(head_).ok());
    for (const char* piece : {"a", "b \"quoted\"", "c"})
      ASSERT_TRUE(journal->append({piece, "fine", std::string("\0\xFF\n bytes", 9)}).ok());
    ASSERT_TRUE(journal->sync().ok());
  }

  std::string path_ = fs::temp_directory_path() / ("plumb_journal_test_" + std::to_string(getpid()));
  JournalHead head_{"program", "command", std::string("\0\1", 2)};
};

TEST_F(JournalFile, ComesBackAsItWasWritten) {
  fill();
  const auto found = read_journal(path_);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->head->program, "program");
  EXPECT_EQ(found->head->data, head_.data);
  ASSERT_EQ(found->lines.size(), 3U);
  EXPECT_EQ(found->lines[1].piece, "b \"quoted\"");
  EXPECT_EQ(found->lines[2].data, std::string("\0\xFF\n bytes", 9));
  EXPECT_EQ(found->size, text().size());
}

// At every byte: the lines before are there, and one that goes on makes it whole again.
TEST_F(JournalFile, CutOffAnywhere) {
  fill();
  const std::string whole = text();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(whole.substr(0, size));
    auto journal = Journal::open(path_);
    ASSERT_TRUE(journal.ok()) << size << ": " << journal.error().text();
    const std::size_t lines = static_cast<std::size_t>(std::ranges::count(whole.substr(0, size), '\n'));
    EXPECT_EQ(journal->found().head.has_value(), lines > 0) << size;
    EXPECT_EQ(journal->found().lines.size(), lines == 0 ? 0 : lines - 1) << size;
    ASSERT_TRUE(journal->begin(head_).ok());
    for (std::size_t left = journal->found().lines.size(); left < 3; ++left)
      ASSERT_TRUE(journal
                      ->append({std::vector{"a", "b \"quoted\"", "c"}[left], "fine",
                                std::string("\0\xFF\n bytes", 9)})
                      .ok());
    EXPECT_EQ(text(), whole) << size;
  }
}

// What lay on the disk where power was lost.
TEST_F(JournalFile, ABrokenLastLineDoesNotCount) {
  fill();
  const std::string whole = text();
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t at = last; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = '\0';
    put(broken);
    const auto found = read_journal(path_);
    ASSERT_TRUE(found.ok()) << at;
    EXPECT_EQ(found->lines.size(), 2U) << at;
  }
}

TEST_F(JournalFile, AChangedLineIsNamed) {
  fill();
  std::string changed = text();
  changed.replace(changed.find("fine"), 4, "Fine");
  put(changed);
  const auto found = read_journal(path_);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().text(), HasSubstr(path_ + ":2:1: this line was changed or damaged"));
  EXPECT_FALSE(Journal::open(path_).ok());
}

TEST_F(JournalFile, OtherFilesAreLeftAlone) {
  for (const char* other : {"hello", "{\"plumb\":1}\n", "\n", "{\"process\":0}"}) {
    put(other);
    const auto journal = Journal::open(path_);
    ASSERT_FALSE(journal.ok()) << other;
    EXPECT_THAT(journal.error().text(), HasSubstr("is no journal of plumb"));
    EXPECT_EQ(text(), other);
  }
  EXPECT_FALSE(Journal::open("/dev/null").ok());
  EXPECT_FALSE(Journal::open("/no/such/folder/file").ok());
  EXPECT_FALSE(Journal::open(fs::temp_directory_path()).ok());
}

TEST_F(JournalFile, IsWrittenByOneProcessAtATime) {
  const auto mine = Journal::open(path_);
  ASSERT_TRUE(mine.ok());
  const pid_t child = fork();
  if (child == 0) {
    const auto other = Journal::open(path_);
    _exit(!other.ok() && other.error().message.find("another process") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// A limit of the process stands for a disk that is full.
TEST_F(JournalFile, SaysWhenItCannotBeWritten) {
  fill();
  const std::string whole = text();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto journal = Journal::open(path_);
    const rlimit limit{whole.size() + 10, whole.size() + 10};
    const bool begun = journal.ok() && journal->begin(head_).ok() && setrlimit(RLIMIT_FSIZE, &limit) == 0;
    const bool fails = begun && !journal->append({"d", "", ""}).ok() && !journal->append({"e", "", ""}).ok();
    _exit(fails ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text().size(), whole.size() + 10);
  EXPECT_EQ(read_journal(path_)->size, whole.size());
}

}  // namespace
}  // namespace plumb
