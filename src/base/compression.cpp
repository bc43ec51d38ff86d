// zlib and libzstd behind one small interface.
#include "base/compression.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace plumb {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20U;
constexpr int kWindowBits = 15 + 16;  // the largest window, in a gzip wrapper

}  // namespace

Compression compression_of(std::string_view bytes) {
  if (bytes.starts_with("\x1F\x8B")) return Compression::kGzip;
  if (bytes.starts_with("\x28\xB5\x2F\xFD")) return Compression::kZstd;
  return Compression::kNone;
}

Compression compression_by_name(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  if (path.ends_with(".zst")) return Compression::kZstd;
  return Compression::kNone;
}

struct Decompressor::Stream {
  explicit Stream(std::string_view bytes) : rest(bytes) {}
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Fills some of the room and says how much; 0 is the end.
  virtual Result<std::size_t> fill(char* room, std::size_t size) = 0;

  std::string_view rest;
};

struct Decompressor::Gzip final : Stream {
  explicit Gzip(std::string_view bytes) : Stream(bytes) { ready = inflateInit2(&z, kWindowBits) == Z_OK; }
  ~Gzip() override { inflateEnd(&z); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Result<std::size_t> fill(char* room, std::size_t size) override {
    if (!ready) return Error{"zlib cannot be started: not enough memory"};
    z.next_out = reinterpret_cast<Bytef*>(room);
    z.avail_out = static_cast<uInt>(std::min(size, kChunk));
    const uInt wanted = z.avail_out;
    while (z.avail_out != 0 && !(ended && rest.empty())) {
      if (ended) {  // several gzip members one after another are one stream
        ended = false;
        inflateReset(&z);
      }
      const auto given =
          static_cast<uInt>(std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max()));
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
      z.avail_in = given;
      const int code = inflate(&z, Z_NO_FLUSH);
      rest.remove_prefix(given - z.avail_in);
      ended = code == Z_STREAM_END;
      if (code == Z_OK || ended) continue;
      if (code == Z_BUF_ERROR && rest.empty())
        return Error{"the gzip stream is cut off; expected more of it"};
      return Error{
          fmt::format("the gzip stream is damaged ({})", z.msg != nullptr ? z.msg : "unknown fault")};
    }
    return std::size_t{wanted - z.avail_out};
  }

  z_stream z{};
  bool ready = false;
  bool ended = false;
};

struct Decompressor::Zstd final : Stream {
  explicit Zstd(std::string_view bytes) : Stream(bytes) {}

  Result<std::size_t> fill(char* room, std::size_t size) override {
    if (context == nullptr) return Error{"zstd cannot be started: not enough memory"};
    ZSTD_outBuffer out{room, size, 0};
    ZSTD_inBuffer in{rest.data(), rest.size(), 0};
    while (out.pos < out.size) {
      const std::size_t in_before = in.pos;
      const std::size_t out_before = out.pos;
      const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left) != 0U)
        return Error{fmt::format("the zstd stream is damaged ({})", ZSTD_getErrorName(left))};
      if (in.pos != in_before || out.pos != out_before) ended = left == 0;
      if (in.pos == in.size && out.pos < out.size) {
        if (!ended) return Error{"the zstd stream is cut off; expected more of it"};
        break;
      }
    }
    rest.remove_prefix(in.pos);
    return out.pos;
  }

  struct Free {
    void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context{ZSTD_createDCtx()};
  bool ended = false;
};

Decompressor::Decompressor(std::string_view bytes) {
  if (compression_of(bytes) == Compression::kZstd) {
    stream_ = std::make_unique<Zstd>(bytes);
  } else {
    stream_ = std::make_unique<Gzip>(bytes);
  }
}
Decompressor::~Decompressor() = default;

Status Decompressor::read(std::string& out, std::size_t size) {
  while (out.size() < size) {
    const std::size_t before = out.size();
    out.resize(before + std::min(kChunk, size - before));
    auto filled = stream_->fill(out.data() + before, out.size() - before);
    out.resize(before + (filled ? *filled : 0));
    if (!filled) return filled.error();
    if (*filled == 0) break;
  }
  return Ok{};
}

namespace {

Result<std::string> gzip(std::string_view bytes) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindowBits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{"zlib cannot be started: not enough memory"};
  }
  std::string out;
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    const auto given = static_cast<uInt>(std::min<std::size_t>(bytes.size(), kChunk));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = given;
    const std::size_t before = out.size();
    out.resize(before + kChunk);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    z.avail_out = static_cast<uInt>(kChunk);
    code = deflate(&z, given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(given - z.avail_in);
    out.resize(out.size() - z.avail_out);
  }
  deflateEnd(&z);
  return out;
}

Result<std::string> zstd(std::string_view bytes) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (context == nullptr) return Error{"zstd cannot be started: not enough memory"};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0U)
    return Error{fmt::format("zstd cannot compress ({})", ZSTD_getErrorName(size))};
  out.resize(size);
  return out;
}

}  // namespace

Result<std::string> compress(std::string_view bytes, Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return gzip(bytes);
    case Compression::kZstd:
      return zstd(bytes);
    case Compression::kNone:
      break;
  }
  return std::string(bytes);
}

}  // namespace plumb
