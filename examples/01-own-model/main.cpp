// Checks histories against a model of our own: own_model FILE…
#include <iostream>

#include <plumb/check.hpp>
#include <plumb/files.hpp>

#include "ticket_office.hpp"

int main(int argc, char** argv) {
  const auto model = ticket_office_model();
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    const auto histories = plumb::read_histories(argv[i]);
    if (!histories) {
      std::cerr << histories.error().text() << '\n';
      return 2;
    }
    for (const plumb::History& history : *histories) {
      const auto verdict = plumb::check(history, model);
      if (!verdict) {
        std::cerr << argv[i] << ": " << verdict.error().text() << '\n';
        return 2;
      }
      std::cout << argv[i] << ": " << plumb::to_string(*verdict) << '\n';
      if (verdict->violation) {
        std::cout << "  " << verdict->violation->reason << '\n';
        status = 1;
      }
    }
  }
  return status;
}
