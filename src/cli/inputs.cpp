#include "cli/inputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/etcd_report.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> all_endings() {
  std::vector<std::string_view> endings;
  for (const Codec* codec : all_codecs()) {
    endings.insert(endings.end(), codec->endings().begin(), codec->endings().end());
  }
  return endings;
}

// What Jepsen leaves behind per test (store/NAME/TIME): its history, several times, and files about it that are no histories.
// Of several forms of one history the first is read.
bool is_left_out_of_test(const fs::path& path) {
  static constexpr std::array<std::string_view, 2> kHistories = {"history.edn", "history.txt"};
  static constexpr std::array<std::string_view, 4> kOthers = {"history.txt", "jepsen.log", "results.edn",
                                                              "test.edn"};
  const std::string name = path.filename().native();
  if (std::ranges::find(kOthers, name) == kOthers.end()) return false;
  std::error_code ignored;
  return std::ranges::any_of(kHistories, [&](std::string_view other) {
    return other < name && fs::exists(path.parent_path() / other, ignored);
  });
}

// Adds every history below `folder`. Hidden files and folders are none of the user's
// recordings (.git, editors).
void add_folder(const std::string& folder, Inputs& inputs) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::none, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    const bool hidden = it->path().filename().native().starts_with(".");
    std::error_code ignored;
    const bool is_report = !hidden && it->is_directory(ignored) && is_etcd_report(it->path().native());
    if (is_report) found.push_back(it->path().native());
    if (is_report || (hidden && it->is_directory(ignored))) it.disable_recursion_pending();
    if (hidden || !it->is_regular_file(ignored)) continue;
    const bool is_history = has_history_name(it->path().native()) && !is_left_out_of_test(it->path());
    auto& list = is_history ? found : inputs.passed_over;
    list.push_back(it->path().native());
  }
  std::ranges::sort(found);
  const bool none = found.empty();
  inputs.entries.insert(inputs.entries.end(), found.begin(), found.end());
  if (error) {
    inputs.entries.emplace_back(
        Error{fmt::format("cannot read this folder: {}", error.message()), {}, folder});
  } else if (none) {
    inputs.entries.emplace_back(Error{
        fmt::format("no histories below this folder; looked for {} (also .gz, .zst)", joined(all_endings())),
        {},
        folder});
  }
}

}  // namespace

std::string no_operations(std::string_view file, std::size_t index, bool alone) {
  return alone ? fmt::format("{}: no operations", file)
               : fmt::format("{}, history {}: no operations", file, index);
}

bool has_history_name(std::string_view path) { return codec_by_ending(path, false) != nullptr; }

Inputs find_inputs(const std::vector<std::string>& arguments) {
  Inputs inputs;
  bool standard_input = false;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (argument == "-" && std::exchange(standard_input, true)) {
      inputs.entries.emplace_back(Error{"standard input can be read only once", {}, "-"});
    } else if (argument != "-" && fs::is_directory(argument, ignored) && !is_etcd_report(argument)) {
      add_folder(argument, inputs);
    } else {
      inputs.entries.emplace_back(argument);
    }
  }
  return inputs;
}

}  // namespace plumb::cli
