// As much of a Redis client as the example needs: commands of words, and replies that are a status,
// a number, a text or nil.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace redis {

struct Reply {
  enum class Kind { kText, kNil, kError } kind = Kind::kError;
  std::string text = {};
};

class Connection {
 public:
  // No answer within a second is no answer.
  explicit Connection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience = {1, 0};
    const int at_once = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
    open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool is_open() const { return open_; }

  // Nothing: the connection broke, and whether the command was executed is not known.
  std::optional<Reply> command(std::initializer_list<std::string_view> words) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string_view word : words)
      request += "$" + std::to_string(word.size()) + "\r\n" + std::string(word) + "\r\n";
    auto reply = send(request) ? read_reply() : std::nullopt;
    open_ = open_ && reply.has_value();
    return reply;
  }

 private:
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  std::optional<Reply> read_reply() {
    const auto head = read_line();
    if (!head || head->empty()) return std::nullopt;
    const std::string rest = head->substr(1);
    switch ((*head)[0]) {
      case '+':
      case ':':
        return Reply{Reply::Kind::kText, rest};
      case '-':
        return Reply{Reply::Kind::kError, rest};
      case '$':
        break;
      default:
        return std::nullopt;
    }
    if (rest == "-1") return Reply{Reply::Kind::kNil};
    const std::size_t size = std::stoul(rest) + 2;
    while (buffer_.size() < size) {
      if (!read_more()) return std::nullopt;
    }
    Reply reply{Reply::Kind::kText, buffer_.substr(0, size - 2)};
    buffer_.erase(0, size);
    return reply;
  }

  std::optional<std::string> read_line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!read_more()) return std::nullopt;
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }

  bool read_more() {
    char bytes[4096];
    const ssize_t got = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool open_ = false;
  std::string buffer_;
};

}  // namespace redis
