#include "explore/states/state_search.hpp"

#include <algorithm>
#include <utility>

namespace plumb::engine {
namespace {

constexpr int kBoundsToLearn =
    1;  // without a bound, these come first: they are quick, and tell what threads share
constexpr unsigned kForcedSteps = 32;  // after so many without a choice a thread may be in a loop that waits
// Of touches; some hundred bytes each. One more may come while a state is looked up.
constexpr std::size_t kMostSets = WayTable::kMostTouches - 2;
constexpr std::size_t kLongestRound = 512;  // states of a loop; a longer one is not taken for one

}  // namespace

StateSearch::StateSearch(Machine& machine, Monitor& monitor, const StateSearchOptions& options)
    : machine_(machine), monitor_(monitor), options_(options), ways_(options.memory) {
  machine_.waiting_is_a_finding(monitor.forbids_waiting());
}

StateSearchResult StateSearch::run() {
  using End = StateSearchResult::End;
  if (options_.preemptions && *options_.preemptions > kMostPreemptions) {
    result_.end = End::kCannotSave;
    result_.why = "a bound of so many preemptions";
    return result_;
  }
  bool all = begin();
  if (all) {
    const int last = options_.preemptions.value_or(kBoundsToLearn);
    for (bound_ = 0;; ++bound_) {
      all = search_anew();
      if (!all || !bound_cuts_ || bound_ == last) break;
    }
    if (all && bound_cuts_ && !options_.preemptions) {
      bound_ = -1;
      ways_.clear();
      search_anew();
    }
  }
  result_.states = ways_.size();
  return result_;
}

// The first state, and its snapshot.
bool StateSearch::begin() {
  snapshots_.drop_to(0);
  has_joined_ = false;
  state_ = monitor_.initial();
  if (!judge(machine_.begin())) return false;
  machine_.save(snapshots_);
  first_ = {.monitor = state_, .path = machine_.path().size()};
  return true;
}

// With the present bound, from the first state on; once more if it was learnt meanwhile what matters: also how far threads run before
// their first steps.
bool StateSearch::search_anew() {
  do {
    bound_cuts_ = false;
    snapshots_.drop_to(1);
    restore(first_);
    run_.clear();
    run_begin_ = 0;
    const bool all = search();
    const bool once_more = std::exchange(begins_with_touches_, false);
    if (!all && !once_more) return false;
    if (!machine_.has_learnt() && !once_more) return true;
    nodes_.clear();
    ways_.clear();
    waiting_.clear();
    if (options_.keys != nullptr) options_.keys->clear();
    if (!begin()) return false;
  } while (true);
}

bool StateSearch::search() {
  if (!go_on({})) return false;
  while (!nodes_.empty()) {
    if (!go_back()) return false;
  }
  return true;
}

bool StateSearch::end(StateSearchResult::End why) {
  result_.end = why;
  result_.path = machine_.path();
  result_.why = machine_.why();
  return false;
}

// What a step came to; false: the search ends.
bool StateSearch::judge(Machine::Event event) {
  using End = StateSearchResult::End;
  switch (event) {
    case Machine::Event::kStands:
      break;
    case Machine::Event::kFails:
      return fails();
    case Machine::Event::kCannotSave:
      return end(End::kCannotSave);
    case Machine::Event::kInterrupted:
      return end(End::kInterrupted);
  }
  if (const auto& returned = machine_.returned()) {
    const std::uint64_t open = machine_.open_operations() | std::uint64_t{1} << returned->operation;
    state_ = monitor_.returned(state_, open, returned->operation, returned->result);
    if (state_ == Monitor::kViolation) return end(End::kPath);
  }
  constexpr std::uint64_t kLook = 1024;
  if (result_.steps % kLook == 0 && options_.stop != nullptr && options_.stop->load())
    return end(End::kStopped);
  return true;
}

// Something that the machine sees itself. If that may be a race with a touch of another path, only this one is to show it.
bool StateSearch::fails() {
  if (has_joined_) {
    const std::size_t path = machine_.path().size();
    snapshots_.drop_to(1);
    if (machine_.run_again(snapshots_, path) != Machine::Event::kFails) return begin_with_touches();
  }
  return end(StateSearchResult::End::kPath);
}

// Anew, and with them in the key.
bool StateSearch::begin_with_touches() {
  joins_touches_ = false;
  begins_with_touches_ = true;
  return false;
}

bool StateSearch::take(int thread) {
  ++result_.steps;
  return judge(machine_.step(thread));
}
bool StateSearch::take_outcome(int outcome) {
  ++result_.steps;
  return judge(machine_.choose_outcome(outcome));
}

// No thread can go on: that is the end, or a standstill.
bool StateSearch::at_end(ThreadSet enabled) {
  ++result_.ends;
  if (enabled == 0 && machine_.has_ended())
    return machine_.leaks() ? end(StateSearchResult::End::kPath) : true;
  return monitor_.may_stop(state_, machine_.open_operations()) ? true : end(StateSearchResult::End::kPath);
}

unsigned StateSearch::left_after(int running, int used, int thread) const {
  if (bound_ < 0) return 0;
  return static_cast<unsigned>(bound_ - used - (running >= 0 && thread != running ? 1 : 0));
}

// Of these threads, those that the search did not go on with before, with as many preemptions left; it does now.
ThreadSet StateSearch::not_searched(Node& node, ThreadSet threads) {
  WayTable::Ways& ways = ways_.at(node.key);
  const RaceSets::Number all = races_.both(ways.touches(), node.touches);
  if (all != ways.touches()) ways.begin_anew(all);
  ThreadSet left = 0;
  for (; threads != 0; threads &= threads - 1) {
    const int thread = lowest(threads);
    const unsigned preemptions = left_after(node.running, node.used, thread) + 1;
    if (ways.of(thread) >= preemptions) continue;
    ways.set(thread, preemptions);
    left |= bit(thread);
  }
  if (left != 0 && node.touches != all) {
    node.touches = all;
    machine_.set_touches(races_.of(all));
    has_joined_ = true;
  }
  return left;
}

// Whether the thread has come back to where it was, while it ran alone.
bool StateSearch::waits(const StateKey& key, int thread) {
  const std::size_t from =
      std::max(run_begin_, run_.size() < kLongestRound ? 0 : run_.size() - kLongestRound);
  for (std::size_t i = run_.size(); i-- > from;) {
    if (run_[i].key != key) continue;
    waiting_[key] |= bit(thread);
    return true;
  }
  return false;
}

// At a state that was met before. If that was on the way here, threads may go round forever.
bool StateSearch::cut(const StateKey& key, int used) {
  ++result_.cuts;
  ThreadSet always = ~ThreadSet{0};
  const std::size_t last = run_.size() - 1;  // the state itself
  for (std::size_t i = last; i-- > 0 && (bound_ < 0 || run_[i].used == used);) {
    always &= run_[i].enabled;
    if (run_[i].key != key) continue;
    std::vector<std::uint8_t> path = machine_.path();
    ThreadSet went = 0;
    for (std::size_t step = run_[i].path; step < path.size(); ++step) went |= bit(path[step]);
    if (single(went) || (always & ~went) != 0) return true;
    const std::size_t round = path.size() - run_[i].path;
    while (path.size() <= machine_.most_steps()) path.push_back(path[path.size() - round]);
    result_.end = StateSearchResult::End::kPath;
    result_.path = std::move(path);
    return false;
  }
  return true;
}

void StateSearch::save(const Node& node) {
  nodes_.push_back(node);
  if (!options_.by_running_again) {
    machine_.save(snapshots_);
  } else if (node.outcomes) {
    nodes_.back().touches = races_.number(machine_.touches());
  }
}

void StateSearch::restore(const Node& node) {
  state_ = node.monitor;
  run_.resize(node.run_end);
  run_begin_ = node.run_begin;
  if (!options_.by_running_again || node.path == 0) {
    machine_.restore(snapshots_);
    machine_.shorten_path(node.path);
    return;
  }
  (void)machine_.run_again(snapshots_, node.path);
  if (joins_touches_) machine_.set_touches(races_.of(node.touches));
}

// The state of the machine. False: the search begins anew.
bool StateSearch::look_at(Node& node) {
  node.key = machine_.key(state_);
  ways_.prefetch(node.key);
  const std::vector<Touch>& touches = machine_.touches();
  if (joins_touches_) {
    node.touches = races_.number(touches);
    if (races_.size() > kMostSets) return begin_with_touches();
    if (options_.keys == nullptr) return true;
  }
  const StateKey key = RaceSets::key_of(touches);
  const StateKey whole{node.key.low + key.low, node.key.high + key.high};
  if (options_.keys != nullptr) options_.keys->insert(whole);
  if (!joins_touches_) node.key = whole;
  return true;
}

// From the state in which the machine is to the end of an execution, or to a state that was met before. False: the search ends.
bool StateSearch::go_on(Arrival arrival) {
  for (unsigned forced = 0;;) {
    Node node{.current = arrival.current,
              .used = arrival.used,
              .monitor = state_,
              .path = machine_.path().size(),
              .run_begin = run_begin_,
              .run_end = run_.size()};
    if (const int outcomes = machine_.outcomes(); outcomes > 0) {
      node.outcomes = true;
      node.left = (bit(outcomes) - 1) & ~1U;
      if (node.left != 0) save(node);
      if (!take_outcome(0)) return false;
      continue;
    }
    const ThreadSet enabled = machine_.enabled();
    if (enabled == 0) return at_end(enabled);
    node.chooses = !single(enabled);
    forced = node.chooses ? 0 : forced + 1;
    const bool looks = node.chooses || arrival.chose || forced > kForcedSteps;
    const int current = arrival.current;
    bool stays = current >= 0 && (enabled & bit(current)) != 0 && !machine_.is_yielding(current);
    if (looks) {
      if (!look_at(node)) return false;
      if (current >= 0 && waits(node.key, current)) {
        stays = false;
        if ((enabled & ~waiting_[node.key]) == 0) return at_end(enabled);
      }
      run_.push_back({node.key, node.path, enabled, node.used});
      node.run_end = run_.size();
    }
    node.running = stays ? current : -1;
    const bool is_bound = bound_ >= 0 && stays && arrival.used >= bound_;
    const ThreadSet allowed = is_bound ? bit(current) : enabled;
    if (allowed != enabled) bound_cuts_ = true;
    node.left = looks ? not_searched(node, allowed) : allowed;
    if (node.left == 0) return cut(node.key, node.used);
    const int next = prefer(current, node.left);
    node.left &= ~bit(next);
    if (node.left != 0) save(node);
    if (next != current) run_begin_ = run_.size() - (looks ? 1 : 0);
    if (!take(next)) return false;
    arrival = {.current = next,
               .used = node.used + (node.running >= 0 && next != node.running ? 1 : 0),
               .chose = node.chooses};
  }
}

// To the last state from which there is another way, and that way. False: the search ends.
bool StateSearch::go_back() {
  Node& node = nodes_.back();
  const int next = lowest(node.left);
  node.left &= ~bit(next);
  const Node from = node;
  restore(from);
  if (node.left == 0) {
    nodes_.pop_back();
    if (!options_.by_running_again) snapshots_.drop();
  }
  if (from.outcomes) return take_outcome(next) && go_on({from.current, from.used, true});
  if (next != from.current) run_begin_ = run_.size() - 1;
  return take(next) && go_on({.current = next,
                              .used = from.used + (from.running >= 0 && next != from.running ? 1 : 0),
                              .chose = from.chooses});
}

}  // namespace plumb::engine
