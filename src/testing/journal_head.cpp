// What the journal of a test program says of the program and its arguments.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "testing/arguments.hpp"

namespace plumb::testing {
namespace {

constexpr std::array<std::string_view, 5> kWritten = {"--report", "--junit", "--sarif", "--summary",
                                                      "--annotations"};
// They have no say in what is found out.
constexpr std::array<std::string_view, 11> kNotCompared = {"--shard", "--mpi",     "--journal",    "--merge",
                                                           "--jobs",  "--quiet",   "--report",     "--junit",
                                                           "--sarif", "--summary", "--annotations"};

}  // namespace

bool has_pieces(const Arguments& arguments) {
  return !arguments.stresses && arguments.options.replay.empty() && !arguments.list;
}

ProgramHead head_of(const Arguments& arguments) {
  std::vector<options::GivenOption> written;
  std::ranges::copy_if(arguments.given, std::back_inserter(written), [](const options::GivenOption& each) {
    return std::ranges::find(kWritten, each.name) != kWritten.end();
  });
  std::error_code unknown;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string& against = arguments.options.against;
  return {.program = program_in_journal(path.filename().string()),
          .path = path.string(),
          .words = options::words_of(arguments.given, kNotCompared),
          .to_write = options::words_of(written, {}),
          .files = against.empty() ? "" : content_hash(against).value_or("")};
}

}  // namespace plumb::testing
