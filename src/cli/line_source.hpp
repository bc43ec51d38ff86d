// Lines as they come: from standard input, a pipe, or a file that may still grow. A line is given out as soon
// as its end is there; nothing waits for a buffer to fill.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plumb/result.hpp>

namespace plumb::cli {

class LineSource {
 public:
  // "-" is standard input. `follow`: the end of a file is not the end; more may be written to it.
  static Result<LineSource> open(const std::string& path, bool follow);
  ~LineSource();
  LineSource(LineSource&& other) noexcept;
  LineSource& operator=(LineSource&&) = delete;

  enum class Next : std::uint8_t {
    kLine,
    kEnd,
    kStopped,
    kBinary
  };  // kBinary: there are no lines; see `rest`
  // Waits for the next line, or until a signal asks to stop. The text is without its end and stays until the
  // next call; kSlack bytes after it are readable.
  [[nodiscard]] Result<Next> next();
  static constexpr std::size_t kSlack = 64;
  [[nodiscard]] std::string_view text() const { return text_; }
  // All that has not been given out, up to the end.
  [[nodiscard]] Result<std::string> rest();
  [[nodiscard]] std::uint32_t number() const { return number_; }

 private:
  LineSource(std::string path, int descriptor, bool follow);
  enum class More : std::uint8_t { kSome, kNone, kStopped };
  [[nodiscard]] Result<More> read_more();
  [[nodiscard]] Result<More> wait_for_growth();
  [[nodiscard]] Error cannot_read() const;

  std::string path_;
  int descriptor_;
  bool follow_;
  std::string buffer_;     // with kSlack bytes behind what was read
  std::size_t begin_ = 0;  // of what is not given out yet
  std::size_t searched_ = 0;
  std::size_t end_ = 0;
  std::uint64_t read_ = 0;  // bytes, in all
  std::string_view text_;
  std::uint32_t number_ = 0;
};

}  // namespace plumb::cli
