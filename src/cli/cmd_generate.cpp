// plumb generate: a history by seed, into a file or a pipe.
#include <plumb/files.hpp>
#include <plumb/generate.hpp>

#include "cli/verbs.hpp"

namespace plumb::cli {

ExitStatus run_generate(const Options& options, Console& console) {
  const auto generated = generate(options.generate);
  if (!generated) {
    console.error("plumb generate: " + generated.error().text());
    return ExitStatus::kError;
  }
  const std::string format = options.output == "-" && options.format == "auto" ? "jsonl" : options.format;
  if (const auto status = write_histories({&generated->history, 1}, options.output, format); !status) {
    console.error(status.error().text());
    return ExitStatus::kError;
  }
  return ExitStatus::kHolds;
}

}  // namespace plumb::cli
