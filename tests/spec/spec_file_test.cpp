// Models in files. What loads one is the command, which exports what a model calls; errors need no command.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/subprocess.hpp"
#include "paths.hpp"
#include "spec/spec_file.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SpecFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("plumb-spec-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    setenv("PLUMB_INCLUDE_DIR", PLUMB_SOURCE_DIR "/include", 1);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("PLUMB_INCLUDE_DIR");
  }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string error_of(const std::string& path) const {
    const auto model = load_spec(path);
    return model.ok() ? "it loaded" : model.error().text();
  }
  static bool has_compiler() { return run_program({"c++", "--version"}).status == 0; }
  [[nodiscard]] std::size_t cached() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_ / "cache" / "plumb")) ++count;
    return count;
  }

  fs::path folder_;
};

constexpr const char* kHistory = R"({"process":0,"f":"next","args":[],"result":1,"call":0,"return":1}
{"process":0,"f":"next","args":[],"result":2,"call":2,"return":3}
)";
constexpr const char* kModel = R"(#include <plumb/object_model.hpp>
struct Ids {
  int last = 0;
  int next() { return ++last; }
  bool operator==(const Ids&) const = default;
};
PLUMB_MODEL(Ids, model) { model.operation("next", &Ids::next); }
)";

TEST_F(SpecFile, TheCommandCompilesItOnce) {
  if (!has_compiler() || !fs::exists(PLUMB_COMMAND)) GTEST_SKIP() << "no compiler or no command";
  const std::string model = write("ids.cpp", kModel);
  const std::string history = write("history.jsonl", kHistory);
  const auto first = run_program({PLUMB_COMMAND, "check", "--spec", model, history});
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("linearizable"));
  EXPECT_EQ(cached(), 1U);
  EXPECT_EQ(run_program({PLUMB_COMMAND, "check", "--spec", model, history}).status, 0);
  EXPECT_EQ(cached(), 1U);

  const std::string again =
      write("again.jsonl", R"({"process":0,"f":"next","args":[],"result":2,"call":0,"return":1})");
  EXPECT_EQ(run_program({PLUMB_COMMAND, "check", "--spec", model, again}).status, 1);
}

TEST_F(SpecFile, AHeaderBesideItIsFound) {
  if (!has_compiler() || !fs::exists(PLUMB_COMMAND)) GTEST_SKIP() << "no compiler or no command";
  const std::string header = write("ids.hpp", "constexpr int kStep = 1;\n");
  std::string text = kModel;
  text.replace(text.find("++last"), 6, "last += kStep");
  const std::string model = write("ids.cpp", "#include \"ids.hpp\"\n" + text);
  const auto run = run_program({PLUMB_COMMAND, "check", "--spec", model, write("history.jsonl", kHistory)});
  EXPECT_EQ(run.status, 0) << run.output;
}

TEST_F(SpecFile, ThereIsNoSuchFile) {
  EXPECT_THAT(error_of((folder_ / "none.cpp").string()),
              HasSubstr("none.cpp: cannot be read; expected a C++ file"));
  EXPECT_THAT(error_of(folder_.string()), HasSubstr("is a folder; expected a C++ file"));
}

TEST_F(SpecFile, ItDoesNotCompile) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  const std::string error =
      error_of(write("wrong.cpp", "#include <plumb/object_model.hpp>\nint x = nonsense;\n"));
  EXPECT_THAT(error, HasSubstr("wrong.cpp: does not compile"));
  EXPECT_THAT(error, HasSubstr("wrong.cpp:2:9"));
  EXPECT_THAT(error, HasSubstr("nonsense"));
  EXPECT_EQ(cached(), 0U);
}

TEST_F(SpecFile, AMissingHashIsSaidInWords) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  std::string text = kModel;
  text.insert(text.find("int last"), "std::vector<int> items; std::string name; ");
  EXPECT_THAT(error_of(write("no_hash.cpp", text)), HasSubstr("a state must have a hash"));
}

TEST_F(SpecFile, ThereIsNoModelInIt) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  EXPECT_THAT(error_of(write("empty.cpp", "")), HasSubstr("no model in it; expected PLUMB_MODEL"));
}

TEST_F(SpecFile, ThereIsNoCompiler) {
  const std::string path = std::getenv("PATH");
  const std::string model = write("ids.cpp", kModel);
  setenv("PATH", folder_.c_str(), 1);
  const std::string error = error_of(model);
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(error, HasSubstr("needs a C++ compiler"));
}

}  // namespace
}  // namespace plumb
