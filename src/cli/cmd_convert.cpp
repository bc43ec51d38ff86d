// plumb convert: the same histories in another format.
#include <plumb/files.hpp>

#include "cli/inputs.hpp"
#include "cli/verbs.hpp"

namespace plumb::cli {

ExitStatus run_convert(const Options& options, Console& console) {
  const std::string& in = options.arguments[0];
  const std::string& out = options.arguments[1];
  if (out == "-" && options.to == "auto") {
    console.error("plumb convert: standard output has no name to determine the format; use --to FORMAT");
    return ExitStatus::kError;
  }
  const auto histories = read_histories(in, options.from);
  if (!histories) {
    console.error(histories.error().text());
    return ExitStatus::kError;
  }
  for (std::size_t i = 0; i < histories->size(); ++i) {
    if ((*histories)[i].empty()) console.error(no_operations(in, i, histories->size() == 1));
  }
  if (const auto status = write_histories(*histories, out, options.to); !status) {
    console.error(status.error().text());
    return ExitStatus::kError;
  }
  return ExitStatus::kHolds;
}

}  // namespace plumb::cli
