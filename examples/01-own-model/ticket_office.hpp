// A ticket office: seats are numbered, each is sold once; which of the free ones a buyer gets is not said.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <tuple>

#include <plumb/object_model.hpp>

class TicketOffice {
 public:
  explicit TicketOffice(int seats = 3) {
    for (int seat = 1; seat <= seats; ++seat) free_.insert(seat);
  }

  // Any free seat; null when all are sold. A step that is not determined lists what it may do.
  plumb::Choices<std::optional<int>, TicketOffice> buy() const {
    plumb::Choices<std::optional<int>, TicketOffice> choices;
    if (free_.empty()) choices.add(std::nullopt, *this);
    for (const int seat : free_) {
      TicketOffice after = *this;
      after.free_.erase(seat);
      choices.add(seat, after);
    }
    return choices;
  }

  // False when it was not sold.
  bool give_back(int seat) { return free_.insert(seat).second; }

  std::size_t left() const { return free_.size(); }

  auto fields() const { return std::tie(free_); }

 private:
  std::set<int> free_;
};

inline plumb::ObjectModel<TicketOffice> ticket_office_model() {
  plumb::ObjectModel<TicketOffice> model("ticket-office", "seats, each sold once, in any order");
  model.operation("buy", &TicketOffice::buy).reads_when_null();
  model.operation("give_back", &TicketOffice::give_back).reads_when_false();
  model.operation("left", &TicketOffice::left);  // const: it reads
  model.from_value([](int seats) { return TicketOffice(seats); });
  return model;
}
