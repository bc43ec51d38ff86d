#include "work/network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <locale>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace plumb::work {
namespace {

using Clock = std::chrono::steady_clock;

std::string fresh_secret() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Every address of this machine that another one may know.
std::vector<std::string> addresses_here() {
  std::vector<std::string> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_LOOPBACK) != 0 || (each->ifa_flags & IFF_UP) == 0)
      continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const auto* six = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr);
    if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)) continue;
    char text[INET6_ADDRSTRLEN];
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (getnameinfo(each->ifa_addr, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      found.emplace_back(text);
  }
  freeifaddrs(all);
  return found;
}

// On every address, of both families where the machine has both. -1: not possible.
int listen_on_all(int family) {
  const int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  const int off = 0;
  sockaddr_storage address = {};
  address.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET6) setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (bind(file, reinterpret_cast<const sockaddr*>(&address), size) == 0 && listen(file, SOMAXCONN) == 0)
    return file;
  close(file);
  return -1;
}

std::uint16_t port_of(int file) {
  sockaddr_in6 address = {};  // the port stands at the same place in both families
  socklen_t size = sizeof address;
  getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin6_port);
}

// A connection to this address within some seconds, or -1 and errno.
int connect_to(const std::string& address, std::uint16_t port) {
  constexpr int kMilliseconds = 5000;
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* to = nullptr;
  errno = EADDRNOTAVAIL;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &to) != 0) return -1;
  const int file = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int error = file < 0 ? errno : ::connect(file, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
  freeaddrinfo(to);
  if (error == EINPROGRESS) {
    pollfd ready = {.fd = file, .events = POLLOUT, .revents = 0};
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    if (poll(&ready, 1, kMilliseconds) == 1) getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0) {
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return file;
  }
  if (file >= 0) close(file);
  errno = error;
  return -1;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string Endpoint::text() const {
  return fmt::format("{} {} {} {}", secret, host.empty() ? "-" : host, port, fmt::join(addresses, " "));
}

Result<Endpoint> Endpoint::parse(const std::string& line) {
  std::istringstream in(line);
  in.imbue(std::locale::classic());
  Endpoint endpoint;
  if (!(in >> endpoint.secret >> endpoint.host >> endpoint.port))
    return Error{fmt::format("\"{}\" is no endpoint of rank 0", line)};
  for (std::string address; in >> address;) endpoint.addresses.push_back(address);
  return endpoint;
}

Result<Listener> Listener::open() {
  int file = listen_on_all(AF_INET6);
  if (file < 0) file = listen_on_all(AF_INET);
  if (file < 0) return Error{fmt::format("cannot listen for the other ranks: {}", std::strerror(errno))};
  Listener listener(file, {fresh_secret(), host_name(), port_of(file), addresses_here()});
  if (listener.endpoint_.secret.empty()) return Error{"the system gives no random numbers"};
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : file_(std::exchange(other.file_, -1)), endpoint_(std::move(other.endpoint_)) {}

Listener::~Listener() {
  if (file_ >= 0) close(file_);
}

int Listener::accept(Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ready = {.fd = file_, .events = POLLIN, .revents = 0};
    if (left <= 0) return -1;
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    const int connection = accept4(file_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) return connection;
  }
}

Result<int> connect(const Endpoint& endpoint) {
  std::vector<std::string> addresses = endpoint.addresses;
  if (endpoint.host == host_name()) addresses.insert(addresses.begin(), {"127.0.0.1", "::1"});
  for (const std::string& address : addresses) {
    const int connection = connect_to(address, endpoint.port);
    if (connection >= 0) return connection;
  }
  return Error{
      fmt::format("cannot reach rank 0 on {}, port {} of {}: {}; is there a firewall between the machines?",
                  endpoint.host, endpoint.port, fmt::join(addresses, ", "), std::strerror(errno))};
}

void set_timeout(int connection, std::chrono::seconds most) {
  const timeval time = {.tv_sec = most.count(), .tv_usec = 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  const auto set = [connection](int level, int option, int value) {
    setsockopt(connection, level, option, &value, sizeof value);
  };
  // A machine that is switched off sends no farewell: it is asked now and then, and is gone after half a
  // minute.
  constexpr int kIdle = 10;
  constexpr int kBetween = 5;
  constexpr int kTimes = 4;
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kIdle);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kBetween);
  set(IPPROTO_TCP, TCP_KEEPCNT, kTimes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * (kIdle + kBetween * kTimes));
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

}  // namespace plumb::work
