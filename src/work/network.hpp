// Connections between the ranks. Rank 0 listens; an endpoint, which MPI carries to the others, says where,
// and holds a secret, which keeps out everyone who was not invited.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <plumb/result.hpp>

namespace plumb::work {

struct Endpoint {
  std::string secret;
  std::string host;  // name of the machine
  std::uint16_t port = 0;
  std::vector<std::string> addresses;  // of that machine

  // One line, and back.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static Result<Endpoint> parse(const std::string& line);
};

class Listener {
 public:
  static Result<Listener> open();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  // The next that calls, or -1 when none did by then.
  [[nodiscard]] int accept(std::chrono::steady_clock::time_point until) const;

 private:
  Listener(int file, Endpoint endpoint) : file_(file), endpoint_(std::move(endpoint)) {}
  int file_;
  Endpoint endpoint_;
};

// A connection to who invited.
[[nodiscard]] Result<int> connect(const Endpoint& endpoint);

// How long a peer may be silent while something is expected of it; 0: forever, but a machine
// that is gone is noticed.
void set_timeout(int connection, std::chrono::seconds most);

[[nodiscard]] std::string host_name();

}  // namespace plumb::work
