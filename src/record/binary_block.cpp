// Blocks into bytes and back. What is read is believed only as far as it was looked at here: every offset and
// count of a block is compared with the bytes that are there.
#include "record/binary_block.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.hpp"

namespace plumb {
namespace {

using namespace block_header;

// Of blocks with columns, also.
constexpr std::size_t kColumnsAt = 11;
constexpr std::size_t kBodyHashAt = 24;
constexpr std::size_t kOperationsAt = 32;
constexpr std::size_t kArgumentsAt = 40;
constexpr std::size_t kUnusedAt = 48;  // zero

// A descriptor: the column's number, its width, six zeros; base, count, offset in the body.
constexpr std::size_t kDescriptorSize = 32;
constexpr std::size_t kBaseAt = 8;
constexpr std::size_t kCountAt = 16;
constexpr std::size_t kOffsetAt = 24;

constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

unsigned bytes_for(std::uint64_t number) { return (static_cast<unsigned>(std::bit_width(number)) + 7) / 8; }

template <unsigned kWidth>
void store_all(std::span<const std::uint64_t> numbers, std::uint64_t base, char* to) {
  for (const std::uint64_t number : numbers) {
    store_little(number - base, to);  // the bytes behind it are those of the next one, or slack
    to += kWidth;
  }
}

void store_all(std::span<const std::uint64_t> numbers, std::uint64_t base, unsigned width, char* to) {
  switch (width) {
    case 0:
      return;
    case 1:
      return store_all<1>(numbers, base, to);
    case 2:
      return store_all<2>(numbers, base, to);
    case 3:
      return store_all<3>(numbers, base, to);
    case 4:
      return store_all<4>(numbers, base, to);
    case 5:
      return store_all<5>(numbers, base, to);
    case 6:
      return store_all<6>(numbers, base, to);
    case 7:
      return store_all<7>(numbers, base, to);
    default:
      return store_all<8>(numbers, base, to);
  }
}

}  // namespace

void BlockWriter::describe(ColumnId id, unsigned width, std::uint64_t base, std::size_t count) {
  descriptors_.push_back({id, width, base, count, data_.size()});
}

void BlockWriter::add(ColumnId id, std::span<const std::uint64_t> numbers, unsigned least_width) {
  if (numbers.empty()) return;
  std::uint64_t least = numbers[0];
  std::uint64_t most = numbers[0];
  for (const std::uint64_t number : numbers) {
    least = std::min(least, number);
    most = std::max(most, number);
  }
  const unsigned width = std::max(bytes_for(most - least), least_width);
  describe(id, width, least, numbers.size());
  const std::size_t begin = data_.size();
  data_.resize(begin + width * numbers.size() + ColumnView::kSlack);
  store_all(numbers, least, width, data_.data() + begin);
  data_.resize(begin + padded(width * numbers.size()));
}

void BlockWriter::add_text(ColumnId id, std::string_view text) {
  if (text.empty()) return;
  describe(id, 1, 0, text.size());
  data_ += text;
  data_.resize(padded(data_.size()));
}

void BlockWriter::finish(BlockHeader header, std::string& out) {
  data_.append(ColumnView::kSlack, '\0');
  const std::size_t begin = out.size();
  const std::size_t table = kDescriptorSize * descriptors_.size();
  header.columns = static_cast<std::uint8_t>(descriptors_.size());
  header.body_size = table + data_.size();
  out.resize(begin + BlockHeader::kSize + table);
  char* at = out.data() + begin + BlockHeader::kSize;
  for (const Descriptor& d : descriptors_) {
    at[0] = static_cast<char>(d.id);
    at[1] = static_cast<char>(d.width);
    store_little(d.base, at + kBaseAt);
    store_little(d.count, at + kCountAt);
    store_little(d.offset + table, at + kOffsetAt);
    at += kDescriptorSize;
  }
  out += data_;
  char* head = out.data() + begin;
  const std::string_view body(head + BlockHeader::kSize, header.body_size);
  kBinaryMagic.copy(head, kBinaryMagic.size());
  store_little(kBinaryVersion, head + kVersionAt);
  head[kKindAt] = static_cast<char>(header.kind);
  head[kColumnsAt] = static_cast<char>(header.columns);
  store_little(header.number, head + kNumberAt);
  store_little(header.body_size, head + kBodySizeAt);
  store_little(hash64(body), head + kBodyHashAt);
  store_little(header.operations, head + kOperationsAt);
  store_little(header.arguments, head + kArgumentsAt);
  store_little(hash64({head, kHashAt}), head + kHashAt);
  descriptors_.clear();
  data_.clear();
}

Result<BlockHeader> read_block_header(std::string_view bytes) {
  const char* at = bytes.data();
  if (!bytes.starts_with(kBinaryMagic)) return Error{"expected the beginning of a block"};
  const auto version = load_little<std::uint16_t>(at + kVersionAt);
  if (version != kBinaryVersion) {
    return Error{fmt::format("version {} of the format; expected version {}", version, kBinaryVersion)};
  }
  if (load_little<std::uint64_t>(at + kHashAt) != hash64({at, kHashAt})) {
    return Error{"the checksum of a block's header is wrong"};
  }
  BlockHeader header;
  header.kind = static_cast<BlockKind>(at[kKindAt]);
  header.columns = static_cast<std::uint8_t>(at[kColumnsAt]);
  header.number = load_little<std::uint32_t>(at + kNumberAt);
  header.body_size = load_little<std::uint64_t>(at + kBodySizeAt);
  header.body_hash = load_little<std::uint64_t>(at + kBodyHashAt);
  header.operations = load_little<std::uint64_t>(at + kOperationsAt);
  header.arguments = load_little<std::uint64_t>(at + kArgumentsAt);
  const bool known = header.kind == BlockKind::kBegin || header.kind == BlockKind::kOperations ||
                     header.kind == BlockKind::kEnd;
  if (!known || load_little<std::uint64_t>(at + kUnusedAt) != 0 || header.body_size % 8 != 0 ||
      header.columns > kColumns || header.body_size < kDescriptorSize * header.columns + ColumnView::kSlack) {
    return Error{"a block's header does not make sense"};
  }
  return header;
}

Result<BlockView> BlockView::open(const BlockHeader& header, std::string_view body) {
  if (hash64(body) != header.body_hash) return Error{"the checksum of a block is wrong"};
  BlockView view;
  for (std::size_t i = 0; i < header.columns; ++i) {
    const char* at = body.data() + kDescriptorSize * i;
    const std::size_t id = static_cast<unsigned char>(at[0]);
    const unsigned width = static_cast<unsigned char>(at[1]);
    const auto count = load_little<std::uint64_t>(at + kCountAt);
    const auto offset = load_little<std::uint64_t>(at + kOffsetAt);
    const std::uint64_t room = body.size() - ColumnView::kSlack;
    // Numbers of no width are counted against the bytes too: no small block stands for many numbers.
    if (id >= kColumns || width > 8 || offset > room || count == 0 || view.columns_[id].size() != 0 ||
        count > (width == 0 ? room : (room - offset) / width)) {
      return Error{"a column does not fit in its block"};
    }
    view.columns_[id] =
        ColumnView(body.data() + offset, width, load_little<std::uint64_t>(at + kBaseAt), count);
  }
  return view;
}

}  // namespace plumb
