#include "cli/spread_worker.hpp"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/message.hpp"

namespace plumb::cli {

OutputItem not_done(const std::string& why, std::string_view file) {
  OutputItem item = Judge::failed({why}, file);
  item.kind = OutputItem::Kind::kNotDone;
  return item;
}

std::string SpreadRequest::message() const {
  MessageWriter to;
  to.number(static_cast<std::uint64_t>(kind)).number(color ? 1 : 0).number(divides ? 1 : 0);
  to.text(path).number(first).number(last);
  to.number(seconds ? 1 : 0).number(std::bit_cast<std::uint64_t>(seconds.value_or(0)));
  to.number(digest.high).number(digest.low);
  for (const PartTask& task : tasks) to.text(to_message(task));
  return to.take();
}

std::optional<SpreadRequest> SpreadRequest::read(std::string_view message) {
  MessageReader from(message);
  SpreadRequest request;
  request.kind = static_cast<Kind>(from.number());
  request.color = from.number() != 0;
  request.divides = from.number() != 0;
  request.path = from.text();
  request.first = from.number();
  request.last = from.number();
  const bool limited = from.number() != 0;
  const auto seconds = std::bit_cast<double>(from.number());
  if (limited) request.seconds = seconds;
  request.digest.high = from.number();
  request.digest.low = from.number();
  while (!from.at_end()) {
    auto task = task_from(from.text());
    if (!task) return std::nullopt;
    request.tasks.push_back(std::move(*task));
  }
  return from.ok() ? std::optional(std::move(request)) : std::nullopt;
}

std::string SpreadWorker::answer(const std::string& request) {
  const auto read = SpreadRequest::read(request);
  if (!read) return {};
  return read->kind == SpreadRequest::Kind::kParts ? part_verdicts(*read) : to_message(items(*read));
}

// Rank 0 could read it before it was handed out.
std::optional<OutputItem> SpreadWorker::open(const std::string& path, const Judge& judge) {
  if (file_ && file_->path == path) return std::nullopt;
  parts_.reset();
  file_.reset();
  if (access(path.c_str(), R_OK) != 0) {
    return not_done(fmt::format("cannot be read by {}: {}; the ranks read the files themselves, from a file "
                                "system that all of them see",
                                name_, std::strerror(errno)),
                    path);
  }
  auto file = judge.read(path);
  if (!file) return Judge::failed(file.error(), path);
  file_ = std::move(file).value();
  return std::nullopt;
}

std::vector<OutputItem> in_pieces(const HistoryFile& file, std::size_t first, std::size_t last) {
  constexpr std::size_t kWorthHandingOut = 20'000;  // events
  std::vector<OutputItem> pieces;
  std::size_t events = 0;
  for (std::size_t i = first; i < last; ++i) {
    events += file.histories[i].events().size();
    if (events < kWorthHandingOut && i + 1 < last) continue;
    pieces.push_back({.kind = OutputItem::Kind::kSplit, .first = first, .last = i + 1});
    first = i + 1;
    events = 0;
  }
  return pieces;
}

std::vector<OutputItem> SpreadWorker::items(const SpreadRequest& request) {
  const Judge judge(options_, check_, given_, request.color, {});
  if (auto failed = open(request.path, judge)) return {std::move(*failed)};
  const bool whole = request.kind == SpreadRequest::Kind::kFile;
  if (!whole && request.last > file_->histories.size())
    return {not_done("has fewer histories than when it was first read", request.path)};
  std::vector<OutputItem> found;
  if (whole && request.divides) found = in_pieces(*file_, 0, file_->histories.size());
  if (found.size() > 1) return found;
  found.clear();
  const Judge::Check if_easy = [](const History& history, const Model& model, const CheckOptions& options) {
    return check_if_easy(history, model, options);
  };
  judge.judge(*file_, whole ? 0 : request.first, whole ? file_->histories.size() : request.last,
              request.divides ? if_easy : plain_check(),
              [&](OutputItem item) { found.push_back(std::move(item)); });
  return found;
}

// What is kept of a file that grows may be older than what rank 0 has read: then it is read again.
Status SpreadWorker::open_parts(const SpreadRequest& request) {
  if (parts_ && file_->path == request.path && parts_of_ == request.first && parts_digest_ == request.digest)
    return Ok{};
  if (read_parts(request)) return Ok{};
  file_.reset();
  return read_parts(request);
}

Status SpreadWorker::read_parts(const SpreadRequest& request) {
  parts_.reset();
  const Judge judge(options_, check_, given_, request.color, {});
  if (auto failed = open(request.path, judge)) return Error{std::move(failed->text)};
  if (request.first >= file_->histories.size()) return Error{"the file is not what it was"};
  const History& history = file_->histories[request.first];
  const auto model = judge.model_of(history);
  if (!model) return model.error();
  const auto digest = digest_of(history, **model);
  if (!digest || *digest != request.digest) return Error{"the file is not what it was"};
  auto server = PartServer::open(history, **model, check_);
  if (!server) return server.error();
  parts_ = std::move(server).value();
  parts_of_ = request.first;
  parts_digest_ = request.digest;
  return Ok{};
}

// Less than was asked for: rank 0 decides the rest itself.
std::string SpreadWorker::part_verdicts(const SpreadRequest& request) {
  MessageWriter to;
  if (!open_parts(request)) return {};
  for (const PartTask& task : request.tasks) to.text(to_message(parts_->decide(task, request.seconds)));
  return to.take();
}

}  // namespace plumb::cli
