// Files: recognised by content, compressed or not, and written whole or not at all.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/compression.hpp"
#include "paths.hpp"
#include "support/parsing.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "plumb_files.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string put(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  [[nodiscard]] std::string problem(const std::string& file, std::string_view format = "auto") const {
    const auto read = read_histories(file, format);
    return read ? "no problem" : read.error().text();
  }
  fs::path folder_;
};

const std::string kOne = R"({"process":0,"f":"read","args":[],"result":1,"call":0,"return":1})"
                         "\n";

TEST_F(Files, EveryFormatIsRecognised) {
  const std::pair<std::string, const char*> cases[] = {
      {kOne, "read"},
      {"{\"plumb\":1,\"model\":\"m\"}\n" + kOne, "read"},
      {"{\"plumb\":1}\n{\"process\":0,\"type\":\"invoke\",\"f\":\"e\"}\n", "e"},
      {"[" + kOne + "]", "read"},
      {"{\"process\":0,\"type\":\"invoke\",\"f\":\"e\"}\n", "e"},
      {"[{\"process\":0,\"type\":\"invoke\",\"f\":\"e\"}]", "e"},
      {"{:process 0 :type :invoke :f :e}", "e"},
      {"{\"process\" 0 :type :invoke :f :e}", "e"},
      {"; comment\n( {:process 0 :type :invoke :f :e})", "e"},
      {"#jepsen.history.Op{:process 0 :type :invoke :f :e}", "e"},
      {"# comment\n[0] call e(1)\n", "e"},
      {"[0] call e(1)\n", "e"},
      {"Some log\nINFO  jepsen.util - 0\t:invoke\t:e\tnil\n", "e"},
      {R"({"schema":{"class":"a"},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"e"}}}]})",
       "e"},
  };
  for (const auto& [text, function] : cases) {
    const History h = parsed_one(text);
    ASSERT_EQ(h.size(), 1U) << text;
    EXPECT_EQ(h.function_name(0), function) << text;
  }
}

TEST_F(Files, WhatIsNoHistoryIsSaidToBeNone) {
  EXPECT_TRUE(says(fault("once upon a time"), "1:1",
                   "expected one of jsonl, events, edn, jepsen-log, hist, violat, binary"));
  EXPECT_TRUE(says(fault(std::string(1000, '\0')), "1:1", "not a history"));
  EXPECT_NE(fault("", "jsnl").find("did you mean 'jsonl'"), std::string::npos);
  EXPECT_NE(problem(path("none"), "jsnl").find("unknown format 'jsnl'"), std::string::npos);
}

TEST_F(Files, CompressedFilesAreReadAsTheyAre) {
  for (const auto kind : {Compression::kGzip, Compression::kZstd}) {
    const auto bytes = compress(kOne, kind);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(parsed_one(*bytes).size(), 1U);
    EXPECT_EQ(read_histories(put("any.name", *bytes))->size(), 1U);
    const auto more = compress("{\"plumb\":1}\n" + kOne, kind);
    EXPECT_EQ(parsed(*bytes + *more).size(), 2U) << "one stream after another is one text";
    for (std::size_t size = 4; size < bytes->size(); ++size) {
      const std::string cut = problem(put("cut", bytes->substr(0, size)));
      EXPECT_NE(cut.find("cut: the "), std::string::npos) << cut;
    }
    std::string damaged = *bytes;
    for (std::size_t i = 10; i < damaged.size(); ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_NE(problem(put("damaged", damaged)).find("damaged: the "), std::string::npos);
  }
}

TEST_F(Files, ErrorsNameTheFile) {
  EXPECT_EQ(problem(put("bad.jsonl", kOne + "{")).find(path("bad.jsonl") + ":2:2: "), 0U);
  EXPECT_NE(problem(path("missing")).find("missing: cannot read: No such file"), std::string::npos);
  EXPECT_NE(problem(folder_.string()).find("is a folder; expected a file"), std::string::npos);
  EXPECT_EQ(problem(put("empty", "")), "no problem");
}

TEST_F(Files, TheNameTellsTheFormatOfWhatIsWritten) {
  const auto histories = parsed(kOne);
  const std::pair<const char*, const char*> names[] = {{"a.jsonl", "{\"process\""},
                                                       {"a.json", "{\"process\""},
                                                       {"a.edn", "{:process"},
                                                       {"a.hist", "[0] call"},
                                                       {"a.events.jsonl", "{\"process\":0,\"type\""},
                                                       {"a.events.json", "{\"process\":0,\"type\""},
                                                       {"a.csv", "process,f,args"},
                                                       {"a.plumb", "\x89PLUMB"}};
  for (const auto& [name, begin] : names) {
    ASSERT_TRUE(write_histories(histories, path(name)).ok()) << name;
    std::ifstream file(path(name));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(text.find(begin), 0U) << text;
    for (const std::string ending : {".gz", ".zst"}) {
      ASSERT_TRUE(write_histories(histories, path(name + ending)).ok());
      const auto again = read_histories(path(name + ending));
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(essence((*again)[0]), essence(histories[0]));
    }
  }
  const auto unknown = write_histories(histories, path("a.txt"));
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("jsonl, events, edn, hist, binary"), std::string::npos);
}

TEST_F(Files, NothingHalfWrittenStays) {
  const auto good = parsed(kOne);
  const auto bad = parsed(R"({"process":"a","f":"read","call":0,"return":1})");
  ASSERT_TRUE(write_histories(good, path("a.hist")).ok());
  EXPECT_FALSE(write_histories(bad, path("a.hist")).ok());
  EXPECT_EQ(read_histories(path("a.hist"))->at(0).size(), 1U);
  EXPECT_FALSE(write_histories(good, path("none/a.jsonl")).ok());
  EXPECT_FALSE(write_histories(good, folder_.string(), "jsonl").ok());
  EXPECT_FALSE(write_histories(good, "/dev/full", "jsonl").ok());
  EXPECT_TRUE(write_histories(good, "/dev/null", "jsonl").ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Files, LinksStayLinks) {
  put("real.jsonl", "");
  fs::create_symlink(path("real.jsonl"), path("link.jsonl"));
  ASSERT_TRUE(write_histories(parsed(kOne), path("link.jsonl")).ok());
  EXPECT_TRUE(fs::is_symlink(path("link.jsonl")));
  EXPECT_EQ(fs::file_size(path("real.jsonl")), kOne.size());
}

TEST_F(Files, LongNoiseFailsAtOnce) {
  std::string noise(8U << 20U, '\0');
  std::uint64_t state = 1;
  for (char& c : noise)
    c = static_cast<char>((state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 56U);
  noise[0] = 'x';
  EXPECT_TRUE(says(fault(noise), "1:1", "not a history"));
  for (const FormatInfo& format : history_formats())
    EXPECT_NE(fault(noise, format.name), "no fault") << format.name;
}

TEST(Formats, AreListedWithWhatTheyCanDo) {
  std::string writable;
  for (const FormatInfo& format : history_formats()) {
    EXPECT_FALSE(format.summary.empty());
    if (format.can_write) writable += format.name + " ";
  }
  EXPECT_EQ(writable, "jsonl events edn hist binary csv ");
}

TEST(Data, TheSamplesOfOurOwnAreRead) {
  for (const auto& entry : fs::directory_iterator(PLUMB_TEST_DATA "/history")) {
    const auto histories = read_histories(entry.path().string());
    ASSERT_TRUE(histories.ok()) << histories.error().text();
    EXPECT_FALSE(histories->at(0).empty()) << entry.path();
  }
}

TEST(Shared, EveryRecordedHistoryIsRead) {
  if (!fs::exists(PLUMB_SHARED_HISTORIES)) GTEST_SKIP() << "no folder " PLUMB_SHARED_HISTORIES;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(PLUMB_SHARED_HISTORIES)) {
    const std::string ending = entry.path().extension().string();
    if (!entry.is_regular_file() || ending == ".md" || ending == ".tsv") continue;
    const auto histories = read_histories(entry.path().string());
    if (entry.path().string().ends_with("knossos/mutex/bad/etcd.edn") && !histories.ok()) {
      EXPECT_NE(histories.error().text().find("the end of the text"),
                std::string::npos);  // its copy is cut off
      continue;
    }
    ASSERT_TRUE(histories.ok()) << histories.error().text();
    ++files;
    for (const char* format : {"jsonl", "events", "edn", "binary"}) {
      const auto again = parsed(formatted(*histories, format), format);
      ASSERT_EQ(again.size(), histories->size()) << entry.path() << " " << format;
      for (std::size_t i = 0; i < again.size(); ++i) {
        ASSERT_EQ(essence(again[i]), essence((*histories)[i])) << entry.path() << " " << format;
      }
    }
  }
  EXPECT_GT(files, 500U);
}

}  // namespace
}  // namespace plumb
