// Blocks, what a file of the binary format is made of. docs/formats.md has the layout for others to read.
//
// A block is a header of 64 bytes and a body of columns. A column is numbers of one width, of 0 to 8 bytes,
// each less a base that they share; the width is what the numbers of this block need. Header and body have a
// checksum each, so that a block that was never finished, or was damaged since, is known as such. Everything
// is little-endian, and blocks are multiples of eight bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

#include "base/little_endian.hpp"

namespace plumb {

// A first byte that no text has, and line ends that a transfer as text would change.
inline constexpr std::string_view kBinaryMagic = "\x89PLUMB\r\n";
inline constexpr std::uint16_t kBinaryVersion = 1;

// Where the headers of all kinds have what they all have; the magic stands first.
namespace block_header {
inline constexpr std::size_t kVersionAt = 8;
inline constexpr std::size_t kKindAt = 10;
inline constexpr std::size_t kNumberAt = 12;
inline constexpr std::size_t kBodySizeAt = 16;
inline constexpr std::size_t kHashAt = 56;
}  // namespace block_header

enum class BlockKind : std::uint8_t {
  kBegin = 1,
  kOperations = 2,
  kEnd = 3,
  kLog = 4
};  // 4: see log_block.hpp

// The numbers are those of the file.
enum class ColumnId : std::uint8_t {
  kModel,          // of a history, in its first block: text
  kName,           //
  kInitial,        //   one value
  kFunctionSizes,  // functions that are new in this block: lengths of their names
  kFunctionText,   //   and the names
  kHeads,          // kinds of operation that are new: function * 512 + arity * 2 + has result
  kValueKinds,     // values that are new, if they are more than small integers: a ValueKind each
  kValueNumbers,   //   the bits of integers and reals
  kValueSizes,     //   bytes of strings, items of arrays, members * 2 of objects
  kValueText,      //   strings
  kValueItems,     //   values in arrays, names and values in objects; each is known before it is used
  kHead,           // operations: index of their kind
  kProcess,        //   value
  kArguments,      //   values, as many as the kinds say
  kResult,         //   value, null where there is none
  kObject,         //   value; no such column: none has an object
  kCall,           //   call time less that of the operation before (at first 0), plus 2^63
  kDuration,       //   return less call, plus 1; 0 for a pending operation
};
inline constexpr std::size_t kColumns = 18;

struct BlockHeader {
  static constexpr std::size_t kSize = 64;

  BlockKind kind = BlockKind::kBegin;
  std::uint8_t columns = 0;
  std::uint32_t number = 0;      // of the block in its history
  std::uint64_t body_size = 0;   // bytes
  std::uint64_t body_hash = 0;   //
  std::uint64_t operations = 0;  // in this block; in the last block, of the history
  std::uint64_t arguments = 0;   // likewise

  [[nodiscard]] std::string_view body(std::string_view block) const { return block.substr(kSize, body_size); }
};

// The header at the front of `bytes`, which are at least of its size. Nothing in it has been compared with
// the body.
[[nodiscard]] Result<BlockHeader> read_block_header(std::string_view bytes);

// Makes one block.
class BlockWriter {
 public:
  void add(ColumnId id, std::span<const std::uint64_t> numbers, unsigned least_width = 0);
  void add_text(ColumnId id, std::string_view text);
  // Appends the block to `out` and begins another one. The sizes and sums of the header are put in here.
  void finish(BlockHeader header, std::string& out);

 private:
  struct Descriptor {
    ColumnId id;
    unsigned width;
    std::uint64_t base;
    std::uint64_t count;
    std::uint64_t offset;  // in data_
  };
  void describe(ColumnId id, unsigned width, std::uint64_t base, std::size_t count);

  std::vector<Descriptor> descriptors_;
  std::string data_;
};

// A column of a block that was read, or an empty one.
class ColumnView {
 public:
  static constexpr std::size_t kSlack = 8;  // bytes that may be read behind the last number

  ColumnView() = default;
  ColumnView(const char* data, unsigned width, std::uint64_t base, std::size_t size)
      : data_(data), width_(width), base_(base), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] bool is_text() const { return size_ == 0 || (width_ == 1 && base_ == 0); }
  [[nodiscard]] std::string_view text() const { return {data_, size_}; }

  // Calls take(index, number) for every number, in order.
  template <class Take>
  void each(Take&& take) const {
    switch (width_) {
      case 0:
        return run<0>(take);
      case 1:
        return run<1>(take);
      case 2:
        return run<2>(take);
      case 3:
        return run<3>(take);
      case 4:
        return run<4>(take);
      case 5:
        return run<5>(take);
      case 6:
        return run<6>(take);
      case 7:
        return run<7>(take);
      default:
        return run<8>(take);
    }
  }

 private:
  template <unsigned kWidth>
  static std::uint64_t load(const char* at) {
    if constexpr (kWidth == 0) return 0;
    if constexpr (kWidth == 1) return static_cast<unsigned char>(*at);
    if constexpr (kWidth == 2) return load_little<std::uint16_t>(at);
    if constexpr (kWidth == 4) return load_little<std::uint32_t>(at);
    if constexpr (kWidth == 3) return load_little<std::uint32_t>(at) & 0xFF'FFFFU;
    if constexpr (kWidth == 8) return load_little<std::uint64_t>(at);
    return load_little<std::uint64_t>(at) & ((std::uint64_t{1} << (8 * (kWidth % 8))) - 1);
  }
  template <unsigned kWidth, class Take>
  void run(Take& take) const {
    for (std::size_t i = 0; i < size_; ++i) take(i, base_ + load<kWidth>(data_ + kWidth * i));
  }

  const char* data_ = nullptr;
  unsigned width_ = 0;
  std::uint64_t base_ = 0;
  std::size_t size_ = 0;
};

// A whole block whose checksums are right and whose columns lie inside it.
class BlockView {
 public:
  [[nodiscard]] static Result<BlockView> open(const BlockHeader& header, std::string_view body);
  [[nodiscard]] const ColumnView& operator[](ColumnId id) const {
    return columns_[static_cast<std::size_t>(id)];
  }

 private:
  std::array<ColumnView, kColumns> columns_;
};

}  // namespace plumb
