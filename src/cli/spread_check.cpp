#include "cli/spread_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/message.hpp"
#include "check/runner.hpp"
#include "cli/interrupt.hpp"
#include "cli/spread_worker.hpp"
#include "work/ranks.hpp"

namespace plumb::cli {
namespace {

// The parts of one history, decided by the ranks. Small tasks go together.
class RanksExecutor final : public PartExecutor {
 public:
  RanksExecutor(work::WorkerPool& pool, SpreadRequest request, const History& history, const Model& model,
                const CheckOptions& check)
      : pool_(pool), request_(std::move(request)), history_(history), model_(model), check_(check) {}

  void decide(std::span<const PartTask> tasks, std::optional<double> seconds,
              const Decided& decided) override {
    request_.seconds = seconds;
    const std::vector<std::size_t> begins = divide(tasks);
    const auto chunk = [&](std::size_t number) {
      const std::size_t end = number + 1 < begins.size() ? begins[number + 1] : tasks.size();
      return tasks.subspan(begins[number], end - begins[number]);
    };
    pool_.run(
        begins.size(),
        [&](std::size_t number) {
          request_.tasks.assign(chunk(number).begin(), chunk(number).end());
          return request_.message();
        },
        [&](const work::WorkDone& done) {
          take(chunk(done.item), begins[done.item], done.answer, decided);
          return begins.size();
        });
  }

 private:
  // Where each piece of work begins.
  static std::vector<std::size_t> divide(std::span<const PartTask> tasks) {
    constexpr std::uint64_t kSome = 200'000;  // configurations: a fraction of a second
    std::vector<std::size_t> begins;
    std::uint64_t sum = kSome;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (sum >= kSome) {
        begins.push_back(i);
        sum = 0;
      }
      sum += std::min(tasks[i].configurations, kSome);
    }
    return begins;
  }

  // What was not answered is decided here.
  void take(std::span<const PartTask> tasks, std::size_t begin, std::string_view answer,
            const Decided& decided) {
    MessageReader from(answer);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto verdict = verdict_from(from.text());
      if (!verdict) verdict = decide_here(tasks[i]);
      decided(begin + i, std::move(*verdict));
    }
  }

  PartVerdict decide_here(const PartTask& task) {
    if (!server_) {
      auto opened = PartServer::open(history_, model_, check_);
      if (!opened) return PartVerdict::unknown(StopReason::kInternalError);
      server_ = std::move(opened).value();
    }
    return server_->decide(task, request_.seconds);
  }

  work::WorkerPool& pool_;
  SpreadRequest request_;
  const History& history_;
  const Model& model_;
  const CheckOptions& check_;
  std::unique_ptr<PartServer> server_;
};

constexpr const char* kNobody = "no process was able to check it";

std::string how_it_died(int how) {
  return how > 0 ? fmt::format("was ended by signal {} ({})", how, strsignal(how))
                 : fmt::format("ended with status {}", -how);
}

}  // namespace

void SpreadCheck::run(const Inputs& inputs) {
  for (std::size_t i = 0; i < inputs.entries.size(); ++i) {
    entries_.push_back(entry_of(i, inputs.entries[i]));
    Entry& entry = entries_.back();
    if (share_.is_by_history() && !entry.here && !entry.answered) divide(i);
  }
  hand_out_files();
  hand_out_pieces();
  tell(true);
}

SpreadCheck::Entry SpreadCheck::entry_of(std::size_t number, const std::variant<std::string, Error>& input) {
  if (const auto* error = std::get_if<Error>(&input))
    return {.answered = true, .answers = {{Judge::failed(*error, {})}}};
  Entry entry{.path = std::get<std::string>(input)};
  std::error_code ignored;
  entry.here =
      !std::filesystem::is_regular_file(entry.path, ignored) || access(entry.path.c_str(), R_OK) != 0;
  if (entry.here && share_.journal() != nullptr) entry.print = Fingerprint::of(entry.path);
  const CheckedPiece* known = share_.is_by_history() ? nullptr : share_.find(number, std::nullopt);
  if (known == nullptr) return entry;
  kept_.insert({number, std::nullopt});
  entry.here = false;
  entry.answered = true;
  entry.answers.items = known->items;
  return entry;
}

// A single file with a journal: rank 0 reads it, to know which histories are left.
void SpreadCheck::divide(std::size_t number) {
  Entry& entry = entries_[number];
  entry.print = Fingerprint::of(entry.path);
  entry.answered = true;
  const auto file = judge_.read(entry.path);
  if (!file) {
    entry.answers.items = {Judge::failed(file.error(), entry.path)};
    return;
  }
  entry.is_by_history = true;
  entry.histories = file->histories.size();
  if (share_.find(number, std::nullopt) == nullptr) keep({number, std::nullopt}, {});
  std::vector<OutputItem>& items = entry.answers.items;
  for (std::size_t i = 0; i < entry.histories;) {
    if (const CheckedPiece* known = share_.find(number, i)) {
      kept_.insert({number, i++});
      items.insert(items.end(), known->items.begin(), known->items.end());
      continue;
    }
    const std::size_t first = i;
    while (i < entry.histories && share_.find(number, i) == nullptr) ++i;
    for (OutputItem& piece : in_pieces(*file, first, i)) items.push_back(std::move(piece));
  }
}

void SpreadCheck::hand_out_files() {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].answered && !entries_[i].here) items.push_back(i);
  }
  pool_.run(
      items.size(),
      [&](std::size_t item) {
        Entry& entry = entries_[items[item]];
        if (share_.journal() != nullptr && entry.print.state.empty())
          entry.print = Fingerprint::of(entry.path);
        SpreadRequest request{.path = entry.path};
        request.color = color_;
        request.divides = pool_.width() > 1;
        return request.message();
      },
      [&](const work::WorkDone& done) {
        Entry& entry = entries_[items[done.item]];
        entry.answered = true;
        entry.answers.items = items_of(done, entry.path);
        keep({items[done.item], std::nullopt}, entry.answers.items);
        tell(false);
        return share_.has_failed() ? 0 : items.size();
      });
}

void SpreadCheck::hand_out_pieces() {
  std::vector<Piece> items;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (const OutputItem& item : entries_[i].answers.items) {
      if (item.kind != OutputItem::Kind::kSplit) continue;
      items.emplace_back(i, item.first);
      ends.push_back(item.last);
    }
  }
  pool_.run(
      items.size(),
      [&](std::size_t item) {
        SpreadRequest request{.kind = SpreadRequest::Kind::kHistories,
                              .path = entries_[items[item].first].path};
        request.color = color_;
        request.divides = true;
        request.first = items[item].second;
        request.last = ends[item];
        return request.message();
      },
      [&](const work::WorkDone& done) {
        const auto [entry, _] = items[done.item];
        Answers& answers = pieces_[items[done.item]];
        answers.items = items_of(done, entries_[entry].path);
        if (entries_[entry].is_by_history) keep_histories(entry, answers.items);
        tell(false);
        return share_.has_failed() ? 0 : items.size();
      });
}

std::vector<OutputItem> SpreadCheck::items_of(const work::WorkDone& done, const std::string& path) {
  if (done.died)
    return {not_done(fmt::format("the process that checked it {}, twice", how_it_died(*done.died)), path)};
  auto items = items_from(done.answer);
  if (!items) return {not_done("the answer of a rank is not readable", path)};
  return std::move(*items);
}

// In the journal at once, whatever comes before it: what is whole, and wants no report, which is made when it is told.
void SpreadCheck::keep(Unit unit, std::vector<OutputItem> items) {
  const auto is_open = [&](const OutputItem& item) {
    return item.kind == OutputItem::Kind::kSplit || item.kind == OutputItem::Kind::kNeedsAll ||
           item.kind == OutputItem::Kind::kNotDone ||
           (item.kind == OutputItem::Kind::kVerdict && listener_.wants_report(item.outcome));
  };
  if (Interrupt::requested() || std::ranges::any_of(items, is_open)) return;
  const Entry& entry = entries_[unit.first];
  CheckedPiece piece{.entry = unit.first, .history = unit.second, .histories = entry.histories};
  piece.items = std::move(items);
  if (share_.keep(std::move(piece), entry.path, entry.print)) kept_.insert(unit);
}

void SpreadCheck::keep_histories(std::size_t entry, const std::vector<OutputItem>& items) {
  for (auto begin = items.begin(); begin != items.end();) {
    const auto is_other = [first = begin->first](const OutputItem& item) { return item.first != first; };
    const auto end = std::find_if(begin, items.end(), is_other);
    keep({entry, begin->first}, {begin, end});
    begin = end;
  }
}

// What is told from now on is of this piece.
void SpreadCheck::begin(Unit unit) {
  if (told_ == unit) return;
  end();
  told_ = unit;
  is_done_ = true;
  share_.begin(entries_[unit.first].path, entries_[unit.first].print);
}

void SpreadCheck::end() {
  if (!told_) return;
  const Unit unit = *std::exchange(told_, std::nullopt);
  if (!is_done_ || Interrupt::requested() || kept_.contains(unit)) return;
  const Entry& entry = entries_[unit.first];
  if (!share_.finish(unit.first, unit.second, entry.histories)) listener_.changed(entry.path);
}

// Tells what is known, up to what is not; with `all`, what is left of the work is done first, here. After an interrupt what
// is not known is passed over.
void SpreadCheck::tell(bool all) {
  while (next_ < entries_.size() && !share_.has_failed()) {
    if (!tell_entry(next_, all) && !(all && Interrupt::requested())) return;
    entries_[next_++].answers = {};
  }
}

bool SpreadCheck::tell_entry(std::size_t number, bool all) {
  Entry& entry = entries_[number];
  if (Interrupt::requested() && (entry.here || entry.path.empty() || !entry.answered)) return false;
  if (!entry.here && !entry.answered) {
    if (!all) return false;
    entry.answered = true;
    entry.answers.items = {not_done(kNobody, entry.path)};
  }
  if (!entry.is_by_history) begin({number, std::nullopt});
  if (entry.here) {
    judge_here(entry.path, 0, ~std::size_t{0}, listener_.take);
    if (Interrupt::requested()) return false;
  }
  if (!tell_answers(number, entry.answers, all)) return false;
  end();
  listener_.file_done();
  return true;
}

bool SpreadCheck::tell_answers(std::size_t entry, Answers& answers, bool all) {
  for (; answers.told < answers.items.size(); ++answers.told) {
    if (!tell_item(entry, answers.items[answers.told], all)) return false;
  }
  return true;
}

bool SpreadCheck::tell_item(std::size_t entry, const OutputItem& item, bool all) {
  if (entries_[entry].is_by_history && item.kind != OutputItem::Kind::kSplit) begin({entry, item.first});
  if (item.kind == OutputItem::Kind::kNeedsAll) {
    if (!all || Interrupt::requested()) return false;
    judge_together(entries_[entry], item.first);
    return true;
  }
  if (item.kind == OutputItem::Kind::kSplit) {
    auto piece = pieces_.find({entry, item.first});
    if (piece == pieces_.end() && (!all || Interrupt::requested())) return false;
    if (piece == pieces_.end())
      piece =
          pieces_.emplace(Piece{entry, item.first}, Answers{{not_done(kNobody, entries_[entry].path)}}).first;
    return tell_answers(entry, piece->second, all);
  }
  if (item.kind == OutputItem::Kind::kNotDone) {
    is_done_ = false;
    OutputItem error = item;
    error.kind = OutputItem::Kind::kError;
    listener_.take(std::move(error));
    return true;
  }
  listener_.take(item);
  // The report is made where it is written. What others decided alone is decided here as quickly.
  if (item.kind == OutputItem::Kind::kVerdict && listener_.wants_report(item.outcome))
    judge_here(entries_[entry].path, item.first, item.first + 1, [this](OutputItem found) {
      if (found.kind == OutputItem::Kind::kReport) listener_.take(std::move(found));
    });
  return true;
}

void SpreadCheck::judge_here(const std::string& path, std::size_t first, std::size_t last,
                             const Judge::Sink& sink) {
  const auto file = judge_.read(path);
  if (!file) return sink(Judge::failed(file.error(), path));
  judge_.judge(*file, first, last, plain_check(), sink);
}

// All ranks decide the parts of one history.
void SpreadCheck::judge_together(const Entry& entry, std::size_t number) {
  const auto file = judge_.read(entry.path);
  if (!file) return listener_.take(Judge::failed(file.error(), entry.path));
  const auto by_ranks = [&](const History& history, const Model& model,
                            const CheckOptions& options) -> Result<std::optional<Verdict>> {
    SpreadRequest request{.kind = SpreadRequest::Kind::kParts, .path = entry.path};
    request.first = number;
    const auto digest = digest_of(history, model);
    if (!digest) return digest.error();
    request.digest = *digest;
    RanksExecutor executor(pool_, std::move(request), history, model, check_);
    auto verdict = check_with(history, model, options, executor);
    if (!verdict) return verdict.error();
    return std::optional(std::move(verdict).value());
  };
  judge_.judge(*file, number, number + 1, by_ranks, listener_.take);
}

Result<std::unique_ptr<work::Ranks>> spread_out(const Options& options, CheckOptions& check,
                                                const Model* given, const std::string& problem,
                                                std::function<void(const std::string&)> note) {
  work::JoinOptions join{.arguments = options.command_line, .problem = problem};
  join.processes = std::max(check.jobs, 1U);
  check.jobs = 1;
  auto bridge = work::Bridge::open(join.processes);
  if (!bridge) return bridge.error();
  if (!check.memory) check.memory = default_memory() / (std::size_t{bridge->here()} * join.processes);
  const auto worker = std::make_shared<SpreadWorker>(
      options, check, given, fmt::format("rank {} on {}", bridge->rank(), work::host_name()));
  join.pool = {.tries = 2, .drops = true, .stop = Interrupt::flag(), .lost = std::move(note)};
  return work::join(std::move(bridge).value(), join,
                    [worker](const std::string& request) { return worker->answer(request); });
}

}  // namespace plumb::cli
