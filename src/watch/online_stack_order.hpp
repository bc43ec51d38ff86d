// What must be known of a stack in order to judge what follows: the values inside, and of the past one moment each.
//
// It is told the moments of pushes and pops in order, and of each pop when it is called what it will return. A value may be
// inside from `ic` (its push is called) on, is surely inside between `ir` (it returns) and `rc` (its pop is called), and is out
// at `rr`. Values whose pop is called before their push returns constrain nothing. The others are possible exactly if
// there is no set S of them whose sure stays hang together in time without a value that fits at its bottom, that is with
// ic < start, the first ir of S, and rr > end, the last rc of S (monitor_stack.cpp). Why the past can be forgotten:
//
//   - Let v be the last value of S to be popped, and look at the moment rc(v), the end of S. A value that is out by then
//     does not fit at the bottom. So all such values can be added to S as long as it hangs together: start only becomes
//     earlier, by which still fewer fit. What matters of them is only the union U of their sure stays.
//   - For a value y that is inside, the part of U that can matter is the one that `ir(y)` lies in: what is later in time is
//     covered by the stay of y itself, or by the next y it matters for. So each y has a moment `since`: where the part of U
//     that holds ir(y) begins, or ir(y) itself. When x is out, U grows by the stretch from since(x) to rc(x), and every
//     since(y) in that stretch becomes since(x).
//   - S is thus v with some of the values R whose pops were called before rc(v) and have not returned, and start is the least `since`
//     among those that hang together. Without R: y is impossible as soon as since(y) < ic(y), because at every moment at which it
//     can have been pushed a value was inside, below it, that is out by now. With R: begin with all of them, and take away
//     those that do not hang together with v and those that fit at the bottom; start becomes later, so these fit at the bottom of every
//     smaller set too. If v is left at the end, they are a violation.
//
// In a good run the values whose `since` lies in such a stretch, and that are not being popped, were all being pushed at the
// moment since(x): each step is O(operations running), and so is each check of R, squared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "watch/online.hpp"

namespace plumb {

class StackOrder {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  struct Life {
    Moment ic = 0;
    Moment ir = kNotYet;
    Moment rc = kNotYet;
    Moment since = kNotYet;
    Id before = kNone;
    Id after = kNone;
    bool counts = false;  // it was surely inside: it is in the list
  };

  // Values that cannot be as they are.
  struct Conflict {
    std::vector<Id> values;
    bool are_inside;  // above one that is out; or else: they are being popped
  };

  // A push is called. The number is free again after drop().
  Id add(Moment now);
  void drop(Id v);

  void push_returned(Id v, Moment now);
  // kNone: it takes nothing.
  [[nodiscard]] std::optional<Conflict> pop_called(Id v, Moment now);
  [[nodiscard]] std::optional<Conflict> pop_returned(Id v);
  // Was there a moment since `called` at which nothing was surely inside?
  [[nodiscard]] bool was_empty_since(Moment called) const { return last_empty_ >= called; }

  // This value constrains nothing any more.
  void excuse(Id v, Moment now);

  [[nodiscard]] const Life& operator[](Id v) const { return lives_[v]; }
  [[nodiscard]] Id first() const { return front_; }  // of those that were surely inside, by return of push
  [[nodiscard]] std::size_t size() const { return lives_.size() - free_.size(); }

 private:
  [[nodiscard]] std::vector<Id> held_up(Id v) const;
  void unlink(Id v);
  void look(Moment now);

  std::vector<Life> lives_;
  std::vector<Id> free_;
  std::vector<Id> leaving_;  // being popped, of those in the list
  Id front_ = kNone;
  Id back_ = kNone;
  std::size_t inside_ = 0;  // surely
  Moment last_empty_ = 0;
};

}  // namespace plumb
