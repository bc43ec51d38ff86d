// The seam between bytes and histories: one codec a format, each in its own codec_*.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

class Codec {
 public:
  virtual ~Codec() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;

  // Whether bytes that begin like this are of this format. At most one codec says yes.
  [[nodiscard]] virtual bool recognises(std::string_view head) const = 0;

  // Every history in `bytes`. Errors carry line and column where there are such; the caller adds the file.
  [[nodiscard]] virtual Result<std::vector<History>> read(std::string_view bytes) const = 0;

  [[nodiscard]] virtual bool can_write() const { return false; }
  // Appends one history. Fails where the format cannot hold what the history has.
  [[nodiscard]] virtual Status write(const History& history, std::string& out) const;
};

}  // namespace plumb
