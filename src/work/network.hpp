// Connections between the ranks. Rank 0 listens; an invitation, which MPI carries to the others, says where,
// and holds a secret, so that only who was invited is let in.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <plumb/result.hpp>

namespace plumb::work {

struct Invitation {
  std::string secret;
  std::string host;  // name of the machine
  std::uint16_t port = 0;
  std::vector<std::string> addresses;  // of that machine

  // One line, and back.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static Result<Invitation> parse(const std::string& line);
};

class Listener {
 public:
  static Result<Listener> open();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  [[nodiscard]] const Invitation& invitation() const { return invitation_; }
  // The next that calls, or -1 when none did by then.
  [[nodiscard]] int accept(std::chrono::steady_clock::time_point until) const;

 private:
  Listener(int file, Invitation invitation) : file_(file), invitation_(std::move(invitation)) {}
  int file_;
  Invitation invitation_;
};

// A connection to who invited.
[[nodiscard]] Result<int> dial(const Invitation& invitation);

// How long a peer may be silent while something is expected of it; 0: for ever, but a machine
// that is gone is noticed.
void set_patience(int connection, std::chrono::seconds most);

[[nodiscard]] std::string host_name();

}  // namespace plumb::work
