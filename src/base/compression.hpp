// gzip and zstd, recognised by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <plumb/result.hpp>

namespace plumb {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

[[nodiscard]] Compression compression_of(std::string_view bytes);      // by its first bytes
[[nodiscard]] Compression compression_by_name(std::string_view path);  // .gz or .zst

// Decompresses piece by piece, so that a look at the beginning costs no more than the beginning.
class Decompressor {
 public:
  explicit Decompressor(std::string_view bytes);
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Appends to `out` until it has `size` bytes or the stream ends. A stream that is damaged or cut off is an
  // error.
  [[nodiscard]] Status read(std::string& out, std::size_t size);

 private:
  struct Stream;
  struct Gzip;
  struct Zstd;
  std::unique_ptr<Stream> stream_;
};

[[nodiscard]] Result<std::string> compress(std::string_view bytes, Compression compression);

}  // namespace plumb
