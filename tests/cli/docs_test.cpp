// The documentation is true: the tables of options in docs/cli.md are those of the command, and every
// ```console block shows what its commands print. `make approve` writes both anew.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include <plumb/files.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "paths.hpp"

namespace plumb::test {
namespace {

bool approving() { return std::getenv("PLUMB_APPROVE") != nullptr; }

// Replaces the text between each line that `begins` says is an opening one and the next line equal to `end`.
std::string rewrite_blocks(
    const std::string& text, const std::function<bool(const std::string&)>& begins, const std::string& end,
    const std::function<std::string(const std::string& opening, const std::string& body)>& rewrite,
    std::size_t& count) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    out += line + "\n";
    if (!begins(line)) continue;
    const std::string opening = line;
    std::string body;
    while (std::getline(in, line) && line != end) body += line + "\n";
    out += rewrite(opening, body) + end + "\n";
    ++count;
  }
  return out;
}

void expect_same(const std::string& file, const std::string& written, const std::string& actual) {
  if (without_measurements(written) == without_measurements(actual)) return;
  if (approving()) {
    std::ofstream(file, std::ios::binary) << actual;
  } else {
    EXPECT_EQ(without_measurements(written), without_measurements(actual))
        << file << " is not true any more; if this is meant: make approve";
  }
}

std::string markdown_names(const cli::OptionRow& row) {
  const std::string value = row.value.empty() ? "" : fmt::format(" {}", row.value);
  if (row.names.starts_with("--")) return fmt::format("`{}{}`", row.names, value);
  return fmt::format("`{}`, `{}{}`", row.names.substr(0, 2), row.long_name(), value);
}

std::string option_table_of(const cli::VerbRow& verb) {
  std::string out = "| option | |\n|---|---|\n";
  for (const auto& row : cli::option_table()) {
    if (row.belongs_to(cli::bit_of(verb.verb)))
      out += fmt::format("| {} | {} |\n", markdown_names(row), row.help);
  }
  return out;
}

TEST(GoldenDocs, OptionTablesAreThoseOfTheCommand) {
  const std::string file = PLUMB_SOURCE_DIR "/docs/cli.md";
  const std::string written = read_whole(file);
  std::size_t count = 0;
  const auto actual = rewrite_blocks(
      written, [](const std::string& line) { return line.starts_with("<!-- options of "); }, "<!-- end -->",
      [](const std::string& opening, const std::string& body) {
        for (const auto& verb : cli::verb_table()) {
          if (opening == fmt::format("<!-- options of {} -->", verb.name)) return option_table_of(verb);
        }
        ADD_FAILURE() << opening;
        return body;
      },
      count);
  EXPECT_EQ(count, cli::verb_table().size());
  expect_same(file, written, actual);
}

// Programs of the examples are called as their users would, ./queue_test, in the folder where they were
// built.
#ifdef PLUMB_EXAMPLE_PROGRAMS
constexpr const char* kPrograms = PLUMB_EXAMPLE_PROGRAMS;
#else
constexpr const char* kPrograms = nullptr;  // a build without the engine
#endif
bool is_program(const std::string& command) { return command.starts_with("./"); }

// What a shell in the root of the project prints, with the built command first in its path.
std::string output_of(const std::string& command) {
  const std::string folder = std::filesystem::path(PLUMB_COMMAND).parent_path().string();
  const std::string script = fmt::format(
      "cd '{0}' && PATH='{1}':\"$PATH\" && export XDG_CACHE_HOME='{1}/cache' COLUMNS=80 && {{ {2} ; }} 2>&1",
      is_program(command) ? kPrograms : PLUMB_SOURCE_DIR, folder, command);
  FILE* pipe = popen(script.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

// A replay token belongs to a build: the page's own is not the one that is tested.
const std::regex kBuild("plumb1-[0-9a-f]+");

std::string run_block(const std::string& body) {
  static std::string build;
  std::istringstream in(body);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("$ ")) continue;
    if (is_program(line.substr(2)) && kPrograms == nullptr) return body;
    line = std::regex_replace(line, kBuild, build);
    const std::string printed = output_of(line.substr(2));
    out.append(line).append("\n").append(printed);
    if (std::smatch found; std::regex_search(printed, found, kBuild)) build = found.str();
  }
  return out;
}

class GoldenDocs : public testing::TestWithParam<const char*> {};

TEST_P(GoldenDocs, CommandsPrintWhatThePageSays) {
  const std::string file = std::string(PLUMB_SOURCE_DIR "/") + GetParam();
  const std::string written = read_whole(file);
  std::size_t count = 0;
  const auto actual = rewrite_blocks(
      written, [](const std::string& line) { return line == "```console"; }, "```",
      [](const std::string&, const std::string& body) { return run_block(body); }, count);
  EXPECT_GT(count, 0U);
  expect_same(file, written, actual);
}

// The samples in docs/formats.md are of the formats under whose titles they stand.
TEST(Docs, SamplesOfFormatsAreRead) {
  std::istringstream in(read_whole(PLUMB_SOURCE_DIR "/docs/formats.md"));
  std::size_t samples = 0;
  std::string format;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) format = line.substr(3);
    if (!line.starts_with("```")) continue;
    const bool is_sample = line == "```";  // and no ```console
    std::string sample;
    while (std::getline(in, line) && line != "```") sample += line + "\n";
    if (!is_sample) continue;
    const auto read = parse_histories(sample, format);
    ASSERT_TRUE(read.ok()) << read.error().text() << " in\n" << sample;
    EXPECT_FALSE(read->at(0).empty()) << sample;
    ++samples;
  }
  EXPECT_EQ(samples, history_formats().size() + 1);  // two of jsonl and of porcupine; none of binary
}

// What a page links to is there: pages, files, folders; for pages of other sites nothing is said.
TEST(Docs, LinksLeadSomewhere) {
  namespace fs = std::filesystem;
  const fs::path root = PLUMB_SOURCE_DIR;
  std::vector<fs::path> pages = {root / "README.md", root / "ARCHITECTURE.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const fs::path& page : pages) {
    const std::string text = read_whole(page.string());
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at)
      EXPECT_TRUE(fs::exists(page.parent_path() / (*at)[1].str())) << page << ": " << at->str();
  }
}

// The site has every page.
TEST(Docs, EveryPageIsInTheSite) {
  const std::string site = read_whole(PLUMB_SOURCE_DIR "/mkdocs.yml");
  for (const auto& entry : std::filesystem::directory_iterator(PLUMB_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string name = entry.path().filename().string();
    EXPECT_NE(site.find(": " + name + "\n"), std::string::npos) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, GoldenDocs,
                         testing::Values("README.md", "docs/tutorial-store.md", "docs/cli.md",
                                         "docs/report.md", "docs/certificates.md", "docs/watch.md",
                                         "docs/relaxed.md", "docs/hitting.md", "docs/testing.md",
                                         "docs/tutorial-author.md", "docs/tutorial-research.md"),
                         [](const auto& test) {
                           return std::regex_replace(test.param, std::regex("[^a-zA-Z]"), "_");
                         });

}  // namespace
}  // namespace plumb::test
