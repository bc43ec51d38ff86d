// `plumb check --mpi`: the files, the histories of large files, and the parts of hard histories, each handed
// out to the ranks; what comes back is told in the order of the input, as if one process had done it all.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plumb/result.hpp>

#include "cli/check_share.hpp"
#include "cli/inputs.hpp"
#include "cli/judge.hpp"
#include "work/ranks.hpp"

namespace plumb::cli {

class SpreadCheck {
 public:
  // What the run does with what comes back.
  struct Listener {
    Judge::Sink take;  // an item, in the order of the input
    std::function<void()> file_done;
    std::function<bool(Outcome)> wants_report;             // of a history with this outcome
    std::function<void(const std::string& path)> changed;  // while it was checked: it is not in the journal
  };

  SpreadCheck(work::WorkerPool& pool, const CheckOptions& check, bool color, const Judge& judge,
              CheckShare& share, Listener listener)
      : pool_(pool),
        check_(check),
        color_(color),
        judge_(judge),
        share_(share),
        listener_(std::move(listener)) {}

  void run(const Inputs& inputs);

 private:
  struct Answers {
    std::vector<OutputItem> items = {};
    std::size_t told = 0;  // so many of them
  };
  struct Entry {
    std::string path = {};
    bool here = false;  // only rank 0 can read it
    bool answered = false;
    bool is_by_history = false;  // what the journal has of it
    std::size_t histories = 0;   // then
    Fingerprint print = {};      // of the file before others read it, where there is a journal
    Answers answers = {};
  };
  using Piece = std::pair<std::size_t, std::size_t>;                // entry, first history
  using Unit = std::pair<std::size_t, std::optional<std::size_t>>;  // a piece of the journal: entry, history

  [[nodiscard]] Entry entry_of(std::size_t number, const std::variant<std::string, Error>& input);
  void divide(std::size_t number);
  void hand_out_files();
  void hand_out_pieces();
  [[nodiscard]] static std::vector<OutputItem> items_of(const work::WorkDone& done, const std::string& path);
  void tell(bool all);
  // False: not all of it is known.
  [[nodiscard]] bool tell_entry(std::size_t number, bool all);
  [[nodiscard]] bool tell_answers(std::size_t entry, Answers& answers, bool all);
  [[nodiscard]] bool tell_item(std::size_t entry, const OutputItem& item, bool all);
  void judge_here(const std::string& path, std::size_t first, std::size_t last, const Judge::Sink& sink);
  void judge_together(const Entry& entry, std::size_t number);
  void keep(Unit unit, std::vector<OutputItem> items);
  void keep_histories(std::size_t entry, const std::vector<OutputItem>& items);
  void begin(Unit unit);
  void end();

  work::WorkerPool& pool_;
  const CheckOptions& check_;
  bool color_;
  const Judge& judge_;  // of rank 0 itself
  CheckShare& share_;
  Listener listener_;
  std::vector<Entry> entries_;
  std::map<Piece, Answers> pieces_;  // that were left, and are answered
  std::size_t next_ = 0;             // entry to tell
  std::set<Unit> kept_;              // in the journal
  std::optional<Unit> told_;         // what is being told is of this one
  bool is_done_ = true;              // all of that was checked
};

// Brings the ranks together: call it before there are threads. Nothing: this is another rank than 0; its
// work is done, and it is to end. `problem`: why this rank cannot work; see work/ranks.hpp. The
// options are changed to what one of many processes may use, and have to stay where they are.
[[nodiscard]] Result<std::unique_ptr<work::Ranks>> spread_out(const Options& options, CheckOptions& check,
                                                              const Model* given, const std::string& problem,
                                                              std::function<void(const std::string&)> note);

}  // namespace plumb::cli
