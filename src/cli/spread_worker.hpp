// What is asked of a process that checks for `plumb check --mpi`, and the process itself. It
// reads the files on its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/certificate.hpp>

#include "check/part_executor.hpp"
#include "cli/judge.hpp"

namespace plumb::cli {

struct SpreadRequest {
  enum class Kind : std::uint8_t {
    kFile,       // check it, or say how to divide it; the answer: items
    kHistories,  // those from `first` on, up to `last`; the answer: items
    kParts       // of the history `first`; the answer: a verdict each, up to a violation
  };
  Kind kind = Kind::kFile;
  bool color = false;
  bool divides = false;  // what is large may be left to others
  std::string path;
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<double> seconds = std::nullopt;  // for the parts
  Digest digest = {};                            // of the history that they are of: files may change
  std::vector<PartTask> tasks = {};

  [[nodiscard]] std::string message() const;
  [[nodiscard]] static std::optional<SpreadRequest> read(std::string_view message);
};

// Nobody could check it, though its file may be all right.
[[nodiscard]] OutputItem not_done(const std::string& why, std::string_view file);

// The histories from `first` on, up to `last`, in pieces (kSplit) of some work each.
[[nodiscard]] std::vector<OutputItem> in_pieces(const HistoryFile& file, std::size_t first, std::size_t last);

class SpreadWorker {
 public:
  // `name` of where it works, for messages. The options stay where they are.
  SpreadWorker(const Options& options, const CheckOptions& check, const Model* given, std::string name)
      : options_(options), check_(check), given_(given), name_(std::move(name)) {}

  std::string answer(const std::string& request);

 private:
  [[nodiscard]] std::vector<OutputItem> items(const SpreadRequest& request);
  [[nodiscard]] std::string part_verdicts(const SpreadRequest& request);
  // Keeps the file: more may be asked about it. Otherwise, why there is nothing to check.
  [[nodiscard]] std::optional<OutputItem> open(const std::string& path, const Judge& judge);
  [[nodiscard]] Status open_parts(const SpreadRequest& request);
  [[nodiscard]] Status read_parts(const SpreadRequest& request);

  const Options& options_;
  const CheckOptions& check_;
  const Model* given_;
  std::string name_;
  std::optional<HistoryFile> file_;
  std::unique_ptr<PartServer> parts_;
  std::size_t parts_of_ = 0;  // this history of the file
  Digest parts_digest_;
};

}  // namespace plumb::cli
