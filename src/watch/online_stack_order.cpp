#include "watch/online_stack_order.hpp"

#include <algorithm>

namespace plumb {

StackOrder::Id StackOrder::add(Moment now) {
  Id v = static_cast<Id>(lives_.size());
  if (free_.empty()) {
    lives_.emplace_back();
  } else {
    v = free_.back();
    free_.pop_back();
  }
  lives_[v] = {.ic = now};
  return v;
}

void StackOrder::drop(Id v) { free_.push_back(v); }

void StackOrder::push_returned(Id v, Moment now) {
  Life& life = lives_[v];
  life.ir = now;
  if (life.rc != kNotYet) return;  // it can go in and out at one moment
  life.since = now;
  life.before = back_;
  (back_ == kNone ? front_ : lives_[back_].after) = v;
  back_ = v;
  life.counts = true;
  ++inside_;
}

std::optional<StackOrder::Conflict> StackOrder::pop_called(Id v, Moment now) {
  std::vector<Id> held;
  if (v != kNone) {
    lives_[v].rc = now;
    if (lives_[v].counts) {
      held = held_up(v);
      leaving_.push_back(v);
      --inside_;
    }
  }
  look(now);
  if (held.empty()) return std::nullopt;
  return Conflict{std::move(held), false};
}

// Those that no order lets out, v among them; none if there is an order.
std::vector<StackOrder::Id> StackOrder::held_up(Id v) const {
  if (leaving_.empty()) return {};
  std::vector<Id> held = leaving_;
  held.push_back(v);
  while (true) {
    Moment start = lives_[v].since;
    for (bool grew = true; grew;) {
      grew = false;
      for (const Id r : held) {
        if (lives_[r].rc < start || lives_[r].since >= start) continue;
        start = lives_[r].since;
        grew = true;
      }
    }
    if (lives_[v].ic < start) return {};
    const auto is_free = [&](Id r) { return lives_[r].rc < start || lives_[r].ic < start; };
    if (std::erase_if(held, is_free) == 0) return held;
  }
}

std::optional<StackOrder::Conflict> StackOrder::pop_returned(Id v) {
  const Life& out = lives_[v];
  if (!out.counts) return std::nullopt;
  std::erase(leaving_, v);
  std::vector<Id> above;
  for (Id y = out.after; y != kNone && lives_[y].since < out.rc; y = lives_[y].after) {
    Life& life = lives_[y];
    life.since = std::min(life.since, out.since);
    if (life.rc == kNotYet && life.since < life.ic) above.push_back(y);
  }
  unlink(v);
  if (above.empty()) return std::nullopt;
  return Conflict{std::move(above), true};
}

void StackOrder::excuse(Id v, Moment now) {
  if (!lives_[v].counts) return;
  if (lives_[v].rc == kNotYet) --inside_;
  std::erase(leaving_, v);
  unlink(v);
  look(now);
}

void StackOrder::unlink(Id v) {
  Life& life = lives_[v];
  (life.before == kNone ? front_ : lives_[life.before].after) = life.after;
  (life.after == kNone ? back_ : lives_[life.after].before) = life.before;
  life.counts = false;
}

void StackOrder::look(Moment now) {
  if (inside_ == 0) last_empty_ = now;
}

}  // namespace plumb
