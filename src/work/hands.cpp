#include "work/hands.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "work/forked_seat.hpp"

namespace plumb::work {

class Hands::Run {
 public:
  Run(Hands& hands, std::size_t count, const Request& request, const Taken& taken)
      : hands_(hands), count_(count), request_(request), taken_(taken) {}

  void run() {
    for (;;) {
      for (Place& place : hands_.seats_) {
        if (place.seat && !place.item) give(place);
      }
      std::vector<pollfd> files;
      std::vector<Place*> busy;
      for (Place& place : hands_.seats_) {
        if (!place.seat || !place.item) continue;
        files.push_back({.fd = place.seat->file(), .events = POLLIN, .revents = 0});
        busy.push_back(&place);
      }
      if (busy.empty() || too_late()) return;
      constexpr int kLookUp = 100;  // milliseconds: a signal may come just before the wait
      if (poll(files.data(), files.size(),
               hands_.terms_.stop == nullptr && !hands_.terms_.over ? -1 : kLookUp) <= 0)
        continue;
      for (std::size_t i = 0; i < busy.size(); ++i) {
        if (files[i].revents != 0) take(*busy[i]);
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool asked() const {
    return hands_.terms_.stop != nullptr && hands_.terms_.stop->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool stopped() {
    if (!over_ && hands_.terms_.over) {
      if (const auto patience = hands_.terms_.over())
        over_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*patience));
    }
    return over_ || asked();
  }
  [[nodiscard]] bool too_late() { return asked() || (stopped() && Clock::now() > *over_); }

  // Items that were begun before come first: later ones may not be wanted in the end.
  std::optional<std::size_t> next_item() {
    if (stopped()) return std::nullopt;
    if (!again_.empty()) {
      const std::size_t item = *again_.begin();
      again_.erase(again_.begin());
      if (item < count_) return item;
    }
    if (next_ < count_) return next_++;
    return std::nullopt;
  }

  void give(Place& place) {
    place.item = next_item();
    place.dropped = false;
    if (place.item && !place.seat->give(request_(*place.item))) lose(place);
  }

  void lose(Place& place) {
    if (hands_.terms_.lost) hands_.terms_.lost(place.seat->name());
    again_.insert(*place.item);
    place.item.reset();
    place.seat.reset();
  }

  void take(Place& place) {
    Answer answer;
    const Seat::State state = place.seat->take(answer);
    if (state == Seat::State::kWorking) return;
    if (state == Seat::State::kLost) return lose(place);
    const std::size_t item = *std::exchange(place.item, std::nullopt);
    if (place.dropped) return;
    if (answer.died && ++deaths_[item] < hands_.terms_.tries) {
      again_.insert(item);
      return;
    }
    count_ = std::min(count_, taken_({item, std::move(answer.text), answer.died}));
    if (hands_.terms_.drops) drop_unwanted();
  }

  void drop_unwanted() {
    for (Place& place : hands_.seats_) {
      if (!place.item || *place.item < count_ || place.dropped) continue;
      place.dropped = true;
      place.seat->drop();
    }
  }

  Hands& hands_;
  std::size_t count_;
  const Request& request_;
  const Taken& taken_;
  std::size_t next_ = 0;
  std::set<std::size_t> again_;  // items whose seat was lost, or whose process died
  std::map<std::size_t, unsigned> deaths_;
  std::optional<Clock::time_point> over_;  // when the last answers are waited for
};

Hands::Hands(std::vector<std::unique_ptr<Seat>> seats, Terms terms) : terms_(std::move(terms)) {
  for (auto& seat : seats) seats_.push_back({.seat = std::move(seat)});
}

void Hands::run(std::size_t count, const Request& request, const Taken& taken) {
  Run(*this, count, request, taken).run();
}

Hands processes_here(std::size_t count, const Work& work, Terms terms) {
  std::vector<std::unique_ptr<Seat>> seats;
  for (std::size_t i = 0; i < count; ++i) seats.push_back(std::make_unique<ForkedSeat>(work));
  return {std::move(seats), std::move(terms)};
}

}  // namespace plumb::work
