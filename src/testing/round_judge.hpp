// What says whether a recorded round was right: the checkers, by the model of the test; or, where it has none, Line-Up's serial
// histories of the small scenario that was run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plumb/check.hpp"
#include "testing/line_up.hpp"
#include "testing/round_runner.hpp"

namespace plumb::testing {

// A round, or the part of it that is about one object, that no serial run explains.
struct WrongRound {
  History history;
  std::shared_ptr<const Model> model;
  Verdict verdict;
};

struct Judgement {
  Outcome outcome = Outcome::kUnknown;
  std::string engine = {};
  std::string why = {};           // this engine; or what is unknown
  std::uint64_t histories = 0;    // that were judged
  std::uint64_t overlapping = 0;  // of them: with operations that did
  std::optional<WrongRound> wrong = std::nullopt;
};

class RoundJudge {
 public:
  RoundJudge() = default;
  RoundJudge(const RoundJudge&) = delete;
  RoundJudge& operator=(const RoundJudge&) = delete;
  virtual ~RoundJudge() = default;
  // An error: the history does not fit the model. `round` has no objects any more; `objects` says how many there were.
  [[nodiscard]] virtual Result<Judgement> judge(History history, const Round& round, std::size_t objects) = 0;
};

[[nodiscard]] CheckOptions round_check_options(const TestCase& test, unsigned jobs,
                                               const std::atomic<bool>* stop);
[[nodiscard]] std::unique_ptr<RoundJudge> judge_by_model(const TestCase& test, CheckOptions options);
// Of scenarios; `line_ups` are those of all scenarios, and have run serially where there is no model.
[[nodiscard]] std::unique_ptr<RoundJudge> judge_by_scenario(const TestCase& test, CheckOptions options,
                                                            std::vector<std::unique_ptr<LineUp>> line_ups);

}  // namespace plumb::testing
