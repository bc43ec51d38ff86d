// binary, plumb's own format for large recordings: blocks of columns that are copied into a history, not
// parsed.
//
// The headers are walked first: they say how much there is and whether the end of it is missing. Then each
// block is compared with its checksum and its columns are taken in. A file is not believed: whatever its
// checksums say, numbers must be those of functions and values that are there, and the builder looks at times
// and processes.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "formats/binary_writer.hpp"
#include "formats/codecs.hpp"
#include "history/column_buffers.hpp"
#include "history/function_names.hpp"
#include "history/text.hpp"
#include "record/recording_bytes.hpp"

namespace plumb {
namespace {

struct Block {
  BlockHeader header;
  std::size_t offset;
};

// Puts the blocks of one history into a builder.
class BinaryHistoryReader {
 public:
  explicit BinaryHistoryReader(std::shared_ptr<Values> values)
      : builder_(std::move(values)), values_(builder_.values()) {}

  Status begin(const BlockView& block);
  Status operations(const BlockHeader& header, const BlockView& block);
  void reserve(const BlockHeader& end) { builder_.reserve_columns(end.operations, end.arguments); }
  Result<History> finish() { return builder_.finish(); }

 private:
  Status learn_heads(const BlockView& block);
  Status read_heads(const BlockHeader& header, const ColumnView& column);
  Status read_processes(const ColumnView& column);
  Status read_times(const ColumnView& call, const ColumnView& duration);
  Status check_results() const;

  HistoryBuilder builder_;
  BinaryValueReader values_;
  FunctionNames names_;
  std::vector<FunctionId> functions_;     // by their number in the file
  std::vector<OperationHead> all_heads_;  // likewise
  std::uint64_t last_call_ = 0;
  ColumnBuffers columns_;  // of one block
};

Status BinaryHistoryReader::begin(const BlockView& block) {
  if (auto status = values_.learn(block); !status) return status;
  for (const ColumnId id : {ColumnId::kModel, ColumnId::kName}) {
    if (!block[id].is_text() || first_invalid_utf8(block[id].text()))
      return Error{"a name that is not UTF-8"};
  }
  Value initial;
  if (block[ColumnId::kInitial].size() != 1) return Error{"a history without an initial value"};
  if (auto status = values_.read(block[ColumnId::kInitial], {&initial, 1}); !status) return status;
  builder_.set_model(std::string(block[ColumnId::kModel].text()));
  builder_.set_name(std::string(block[ColumnId::kName].text()));
  builder_.set_initial(initial);
  return Ok{};
}

Status BinaryHistoryReader::operations(const BlockHeader& header, const BlockView& block) {
  for (const ColumnId id :
       {ColumnId::kHead, ColumnId::kProcess, ColumnId::kResult, ColumnId::kCall, ColumnId::kDuration}) {
    if (block[id].size() != header.operations) return Error{"a column of another length than its block"};
  }
  const ColumnView& object = block[ColumnId::kObject];
  const ColumnView& arguments = block[ColumnId::kArguments];
  if (arguments.size() != header.arguments || (object.size() != 0 && object.size() != header.operations)) {
    return Error{"a column of another length than its block"};
  }
  if (auto status = values_.learn(block); !status) return status;
  if (auto status = learn_heads(block); !status) return status;
  if (auto status = read_heads(header, block[ColumnId::kHead]); !status) return status;
  columns_.arguments.resize(arguments.size());
  if (auto status = values_.read(arguments, columns_.arguments); !status) return status;
  columns_.results.resize(columns_.heads.size());
  if (auto status = values_.read(block[ColumnId::kResult], columns_.results); !status) return status;
  columns_.objects.resize(object.size());
  if (auto status = values_.read(object, columns_.objects); !status) return status;
  if (auto status = read_processes(block[ColumnId::kProcess]); !status) return status;
  if (auto status = read_times(block[ColumnId::kCall], block[ColumnId::kDuration]); !status) return status;
  if (auto status = check_results(); !status) return status;
  columns_.give_to(builder_);
  return Ok{};
}

Status BinaryHistoryReader::learn_heads(const BlockView& block) {
  const ColumnView& text = block[ColumnId::kFunctionText];
  if (!text.is_text()) return Error{"functions without names"};
  std::string_view rest = text.text();
  std::optional<Error> fault;
  block[ColumnId::kFunctionSizes].each([&](std::size_t, std::uint64_t size) {
    const std::string_view name = rest.substr(0, size);
    const auto id = size <= rest.size() ? names_.id(builder_, name) : std::nullopt;
    if (size > rest.size()) {
      fault = Error{"a function without a name"};
    } else if (!id) {
      fault = FunctionNames::too_many({});
    } else if (first_invalid_utf8(name)) {
      fault = Error{"a function's name that is not UTF-8"};
    } else {
      functions_.push_back(*id);
    }
    rest.remove_prefix(name.size());
  });
  block[ColumnId::kHeads].each([&](std::size_t, std::uint64_t head) {
    if (head / 512 >= functions_.size()) {
      fault = Error{"an operation of a function that no block before has"};
      return;
    }
    all_heads_.push_back({functions_[head / 512], static_cast<std::uint8_t>(head % 512 / 2), head % 2 != 0});
  });
  if (!fault && !rest.empty()) fault = Error{"a name without a function"};
  if (fault) return *fault;
  return Ok{};
}

Status BinaryHistoryReader::read_heads(const BlockHeader& header, const ColumnView& column) {
  if (all_heads_.empty()) return Error{"an operation that no block before describes"};
  columns_.heads.resize(column.size());
  const OperationHead* known = all_heads_.data();
  const std::uint64_t size = all_heads_.size();
  std::uint64_t most = 0;
  std::uint64_t arguments = 0;
  column.each([&](std::size_t i, std::uint64_t number) {
    most = std::max(most, number);
    columns_.heads[i] = known[number < size ? number : 0];
    arguments += columns_.heads[i].arity;
  });
  if (most >= size) return Error{"an operation that no block before describes"};
  if (arguments != header.arguments) return Error{"another number of arguments than the operations have"};
  return Ok{};
}

Status BinaryHistoryReader::read_processes(const ColumnView& column) {
  columns_.processes.resize(column.size());
  if (auto status = values_.read(column, columns_.processes); !status) return status;
  const bool all_small = std::ranges::all_of(columns_.processes, [](Value v) { return v.is_small(); });
  if (all_small) return Ok{};
  for (const Value v : columns_.processes) {
    const ValueKind kind = builder_.values().kind(v);
    if (kind != ValueKind::kInteger && kind != ValueKind::kString) {
      return Error{"a process that is neither a whole number nor a string"};
    }
  }
  return Ok{};
}

Status BinaryHistoryReader::read_times(const ColumnView& call, const ColumnView& duration) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63U;
  columns_.calls.resize(call.size());
  columns_.returns.resize(call.size());
  std::uint64_t now = last_call_;
  call.each([&, calls = columns_.calls.data()](std::size_t i, std::uint64_t number) {
    now += number - kMiddle;
    calls[i] = static_cast<Time>(now);
  });
  last_call_ = now;
  bool wrong = false;
  duration.each([&, calls = columns_.calls.data(), returns = columns_.returns.data()](std::size_t i,
                                                                                      std::uint64_t number) {
    const auto ret = static_cast<Time>(static_cast<std::uint64_t>(calls[i]) + number - 1);
    wrong |= number != 0 && (ret == kNever || ret < calls[i]);
    returns[i] = number == 0 ? kNever : ret;
  });
  if (wrong) return Error{"an operation that returns before its call"};
  return Ok{};
}

Status BinaryHistoryReader::check_results() const {
  bool wrong = false;
  for (std::size_t i = 0; i < columns_.heads.size(); ++i) {
    wrong |= columns_.heads[i].has_result ? columns_.returns[i] == kNever : !columns_.results[i].is_null();
  }
  if (wrong) return Error{"a result of an operation that has none"};
  return Ok{};
}

class BinaryReader {
 public:
  explicit BinaryReader(std::string_view bytes) : bytes_(bytes) {}

  Result<std::vector<History>> run() {
    if (auto status = walk(); !status) return status.error();
    std::vector<History> histories;
    const auto values = std::make_shared<Values>();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].header.kind == BlockKind::kLog) {
        auto history = read_recording_at(bytes_.substr(blocks_[i].offset), values);
        if (!history) return history.error();
        histories.push_back(std::move(*history));
        continue;
      }
      const auto is_end = [](const Block& block) { return block.header.kind == BlockKind::kEnd; };
      const auto end = std::find_if(blocks_.begin() + static_cast<std::ptrdiff_t>(i), blocks_.end(), is_end);
      BinaryHistoryReader reader(values);
      reader.reserve(end->header);
      for (; blocks_[i].header.kind != BlockKind::kEnd; ++i) {
        if (auto status = take(reader, blocks_[i]); !status) return status.error();
      }
      if (auto status = open(blocks_[i]); !status) return status.error();
      auto history = reader.finish();
      if (!history) return history.error();
      histories.push_back(std::move(*history));
    }
    return histories;
  }

 private:
  // Every block's header, each in its place: a history is one that begins it, some of operations, one that
  // ends it.
  Status walk() {
    std::size_t at = 0;
    while (at < bytes_.size()) {
      const std::string_view rest = bytes_.substr(at);
      if (!rest.starts_with(kBinaryMagic.substr(0, rest.size()))) {
        return damaged(at, "expected the beginning of a block");
      }
      if (rest.size() < BlockHeader::kSize) return cut_off();
      if (number_ == 0 && is_log_block(rest)) {
        const auto size = recording_size(rest);
        if (!size) return size.error();
        BlockHeader recording;
        recording.kind = BlockKind::kLog;
        blocks_.push_back({recording, at});
        at += *size;
        continue;
      }
      const auto header = read_block_header(rest);
      if (!header) return damaged(at, header.error().message);
      if (header->body_size > rest.size() - BlockHeader::kSize) return cut_off();
      if (header->kind == BlockKind::kOperations &&
          std::max(header->operations, header->arguments) > header->body_size) {
        return damaged(at, "more operations than bytes");
      }
      if (auto status = follow(*header, at); !status) return status;
      blocks_.push_back({*header, at});
      whole_ += header->kind == BlockKind::kOperations ? header->operations : 0;
      at += BlockHeader::kSize + header->body_size;
    }
    if (number_ != 0) return cut_off();
    return Ok{};
  }

  // Whether a block may stand after the ones before it.
  Status follow(const BlockHeader& header, std::size_t at) {
    if ((header.kind == BlockKind::kBegin) != (number_ == 0) || header.number != number_) {
      return damaged(at, "a block that does not follow the one before it");
    }
    ++number_;
    if (header.kind == BlockKind::kBegin) operations_ = arguments_ = 0;
    if (header.kind == BlockKind::kOperations) {
      operations_ += header.operations;
      arguments_ += header.arguments;
    }
    if (header.kind != BlockKind::kEnd) return Ok{};
    number_ = 0;
    if (header.operations != operations_ || header.arguments != arguments_) {
      return damaged(at, "another number of operations than the history has");
    }
    if (operations_ > History::kMaxOperations) return damaged(at, "too many operations in one history");
    if (arguments_ > 0xFFFF'FFFFU) return damaged(at, "too many arguments in one history");
    return Ok{};
  }

  Status take(BinaryHistoryReader& reader, const Block& block) const {
    auto view = open(block);
    if (!view) return view.error();
    auto status =
        block.header.kind == BlockKind::kBegin ? reader.begin(*view) : reader.operations(block.header, *view);
    return status ? status : damaged(block.offset, status.error().message);
  }

  [[nodiscard]] Result<BlockView> open(const Block& block) const {
    auto view = BlockView::open(block.header, block.header.body(bytes_.substr(block.offset)));
    if (!view) return damaged(block.offset, view.error().message);
    return view;
  }

  static Error damaged(std::size_t at, std::string_view what) {
    return Error{fmt::format("broken binary history, in the block at byte {}: {}", at, what)};
  }
  [[nodiscard]] Error cut_off() const {
    return Error{fmt::format("the binary history is cut off: its end is missing; {} {} before that are whole",
                             whole_, whole_ == 1 ? "operation" : "operations")};
  }

  std::string_view bytes_;
  std::vector<Block> blocks_;
  std::uint64_t whole_ = 0;       // operations of whole blocks
  std::uint32_t number_ = 0;      // of the next block in its history
  std::uint64_t operations_ = 0;  // of the history so far
  std::uint64_t arguments_ = 0;
};

class BinaryCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "binary"; }
  [[nodiscard]] std::string_view summary() const override { return "plumb's own for large recordings"; }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 1> kEndings = {".plumb"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    return head.starts_with(kBinaryMagic.substr(0, head.size())) ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    return BinaryReader(bytes).run();
  }
  [[nodiscard]] bool can_write() const override { return true; }

  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    const std::size_t before = out.size();
    BinaryWriter writer(history.values(), out);
    if (auto status = writer.begin(history.model(), history.initial(), history.name()); !status)
      return status;
    for (std::size_t i = 0; i < history.size(); i += BinaryWriter::kBlockOperations) {
      const std::size_t end = std::min(i + BinaryWriter::kBlockOperations, history.size());
      auto status = writer.operations(history.columns(i, end), history.functions());
      if (!status) return status;
      if (i == 0) out.reserve(before + (out.size() - before) * (history.size() / end + 1));
    }
    return writer.end();
  }
};

}  // namespace

const Codec& binary_codec() {
  static const BinaryCodec codec;
  return codec;
}

}  // namespace plumb
