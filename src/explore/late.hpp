// Loops that look at the time. A thread that comes back to a place and keeps the same there but for the time does the same once more,
// unless it is the time that ends its loop. So it is shown that much of it has passed: the next time it looks, or has slept, or
// has timed out, it comes a day late. If it comes back with the same even so, it repeats itself, as one without a clock does.
//
// A loop that keeps more than the time, or a time that does not look like one (a double, how many microseconds have passed), is no
// repetition, and waits after so many rounds because it may go on forever. It is shown that day first, too.
#pragma once

#include <cstdint>

namespace plumb::engine {

// Whether a thread that comes to some place once more waits there.
enum class Waits : std::uint8_t {
  kNo,
  kCounts,   // it has come so often, though it may be about to do something else
  kRepeats,  // all it can do is the same again
};

// What a thread knows of the time.
struct TimeSeen {
  unsigned looks = 0;  // at the clock; also when it slept or timed out
  unsigned leaps = 0;  // how often it came late
  bool late = false;   // it will, the next time

  bool comes_late() {
    if (!late) return false;
    late = false;
    ++leaps;
    return true;
  }
};

// What a thread kept when it stood at some place, the time left out.
struct Kept {
  std::uint64_t state = 0;  // 0: not known
  unsigned looks = 0;
  unsigned leaps = 0;

  Kept() = default;
  Kept(std::uint64_t now, const TimeSeen& time) : state(now), looks(time.looks), leaps(time.leaps) {}

  // It stands there again and keeps the same: whether that is forever.
  bool repeats(TimeSeen& time) const {
    if (time.looks == looks || time.leaps != leaps) return true;
    time.late = true;
    return false;
  }
};

// What a thread knew of the time when its first round began.
struct Since {
  unsigned looks = 0;
  unsigned leaps = 0;

  Since() = default;
  explicit Since(const TimeSeen& time) : looks(time.looks), leaps(time.leaps) {}

  // It has been round `rounds` times, and has to wait after `most`; if it looks at the clock, after it came late. It may look in few
  // of its rounds only, but not forever.
  bool is_enough(unsigned rounds, unsigned most, TimeSeen& time) const {
    if (rounds < most) return false;
    if (time.looks == looks || time.leaps != leaps || rounds >= 2 * most) return true;
    time.late = true;
    return false;
  }
};

}  // namespace plumb::engine
