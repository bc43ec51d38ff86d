// A search that goes on in several processes. Where a processor has become idle, the process that searches forks, and the child takes over
// the last part of what is left: all that the search has learnt so far is there, and nothing has to be sent. What the child finds comes back
// as a message when it is asked for. A child may fork again.
//
// A part is the end of what is left, in the order of the search. So what one process would have found first is what is found first in this
// process, then in the part that was handed over last, and so on; what comes behind it does not count.
//
// A child that dies takes this process with it, in the same way, where an observer judges: whoever waits for the search hears what it would
// have heard if there were only one process. Else it has found a crash, with the choices that led to it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "explore/observer.hpp"
#include "explore/program_runner.hpp"
#include "explore/searched_part.hpp"
#include "explore/spare_cores.hpp"
#include "explore/standstill.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

// For tests. From now on a search is shared out as soon as a processor is idle, however short it may be.
void share_out_at_once(bool at_once);
// Parts that this process has handed over so far.
[[nodiscard]] std::uint64_t parts_handed_over();

// What the search has to offer.
class SplitSearch {
 public:
  SplitSearch() = default;
  SplitSearch(const SplitSearch&) = delete;
  SplitSearch& operator=(const SplitSearch&) = delete;
  virtual ~SplitSearch() = default;

  // In the child, whose result is empty.
  [[nodiscard]] virtual SearchedTo search_last_part() = 0;
  // There, afterwards: what else is to be said.
  virtual void complete(SearchedPart& part) = 0;
  // In the parent, which adds the figures itself.
  virtual void note(const SearchedPart& part) { (void)part; }
  // The finding once more, where it can be recorded; false: the choices lead to something else.
  [[nodiscard]] virtual bool find_again(const Schedule& choices) = 0;
};

class SearchParts {
 public:
  SearchParts(SplitSearch& search, ProgramRunner& runner, const ExploreOptions& options, Observer* observer,
              const Watch& watch, Exploration& result);
  ~SearchParts() { drop(); }
  SearchParts(const SearchParts&) = delete;
  SearchParts& operator=(const SearchParts&) = delete;

  // To be asked between executions: whether somebody could take a part.
  [[nodiscard]] bool wanted();
  // False: there is no child, and the part is still here.
  bool hand_over();
  // Adds what the others come to, where this process came so far by itself.
  [[nodiscard]] SearchedTo collect(SearchedTo own);
  // Nobody wants them any more.
  void drop();
  // Executions of the search, by all of its processes so far.
  [[nodiscard]] std::uint64_t all_executions();

 private:
  using Time = std::chrono::steady_clock;
  struct Known;  // by this process, whatever becomes of the child
  struct Part {
    pid_t process = 0;
    int pipe = -1;
    Known* known = nullptr;
  };

  [[noreturn]] void live(const Part& self);
  [[nodiscard]] SearchedPart searched(const Part& self);
  [[nodiscard]] runtime::WatchTerms terms_of(const Part& self);
  [[nodiscard]] bool wait_for(const Part& part);
  [[nodiscard]] SearchedTo take_from(const Part& from);
  [[nodiscard]] SearchedTo take(const SearchedPart& part);
  [[nodiscard]] SearchedTo come_to(const SearchedPart& part);
  [[nodiscard]] SearchedTo note_death(const Part& part, int status);
  [[nodiscard]] SearchedTo cut_off(std::string_view why);
  void forget(const Part& part) const;

  SplitSearch& search_;
  ProgramRunner& runner_;
  const ExploreOptions& options_;
  Observer* observer_;
  const Watch& watch_;
  Exploration& result_;
  std::optional<SpareCores> own_cores_;  // of this search alone
  SpareCores* cores_;                    // null: nothing is handed over
  Seconds least_{};                      // of processor time, before anything is handed over
  unsigned asked_ = 0;                   // how often
  std::uint64_t counted_ = 0;            // executions of this process that all_executions() has
  std::vector<Part> parts_;              // in the order in which they were handed over
};

}  // namespace plumb::engine
