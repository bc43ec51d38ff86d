// csv: one operation per row, under a row with the names of the columns. A cell that is written like JSON is that value, every other
// one is its text; a line "#{"plumb":1,…}" says what the operations after it are, and another row with names starts another history.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/lower_case.hpp"
#include "base/suggest.hpp"
#include "formats/codecs.hpp"
#include "formats/csv_rows.hpp"
#include "formats/csv_values.hpp"
#include "history/function_names.hpp"
#include "history/header.hpp"
#include "history/number.hpp"
#include "json/json_reader.hpp"

namespace plumb {
namespace {

enum Column : std::uint8_t { kProcess, kFunction, kArgs, kResult, kCall, kReturn, kObject, kColumns };

// The names of each, the usual one first.
constexpr std::array<std::array<std::string_view, 3>, kColumns> kNames = {{{"process", "client", "thread"},
                                                                           {"f", "function", "operation"},
                                                                           {"args", "arguments", ""},
                                                                           {"result", "output", ""},
                                                                           {"call", "start", ""},
                                                                           {"return", "end", ""},
                                                                           {"object", "", ""}}};

std::optional<Column> column_of(std::string_view name) {
  for (std::uint8_t column = 0; column < kColumns; ++column) {
    for (const std::string_view known : kNames[column]) {
      if (!known.empty() && known == name) return static_cast<Column>(column);
    }
  }
  return std::nullopt;
}

// "arg" and "arg1" are the first argument, "arg2" the second.
std::optional<std::size_t> argument_of(std::string_view name) {
  if (!name.starts_with("arg")) return std::nullopt;
  if (name == "arg") return 0;
  const auto number = parse_integer(name.substr(3));
  if (!number || *number < 1 || *number > static_cast<std::int64_t>(HistoryBuilder::kMaxArguments))
    return std::nullopt;
  return static_cast<std::size_t>(*number - 1);
}

bool is_header(const CsvRow& row) {
  std::array<bool, kColumns> has{};
  for (const CsvCell& cell : row.cells) {
    if (const auto column = column_of(lower_case(cell.text))) has[*column] = true;
  }
  return has[kProcess] && has[kFunction] && has[kCall] && has[kReturn];
}

// Which cell of a row is what.
struct Columns {
  std::array<std::optional<std::size_t>, kColumns> at;
  std::vector<std::optional<std::size_t>> arguments;
  std::size_t count = 0;
};

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rows_(text) {}

  Result<std::vector<History>> run() {
    CsvRow row;
    while (true) {
      auto more = rows_.next(row);
      if (!more) return more.error();
      if (!*more) break;
      if (auto status = take(row); !status) return status.error();
    }
    if (started_ || histories_.empty()) {
      if (auto status = finish_history(); !status) return status.error();
    }
    return std::move(histories_);
  }

 private:
  Status take(const CsvRow& row) {
    if (row.is_comment) return comment(row);
    if (columns_.count == 0 || (!is_operation(row) && is_header(row))) return names(row);
    if (row.cells.size() == columns_.count) return operation(row);
    return Error{
        fmt::format("a row of {} cells; expected {}, one per column", row.cells.size(), columns_.count),
        rows_.place(row.at)};
  }

  [[nodiscard]] bool is_operation(const CsvRow& row) const {
    const auto call = columns_.at[kCall];
    return columns_.count != 0 && call && *call < row.cells.size() && parse_integer(row.cells[*call].text);
  }

  // A remark, or a header. What reads like an operation right after the # may be one, of a process whose name begins so.
  Status comment(const CsvRow& row) {
    const std::string_view text = trim(row.comment);
    if (text.starts_with('{')) return header(row);
    if (text.empty() || is_blank(row.comment.front())) return Ok{};
    const auto cells = rows_.cells_of_comment(row);
    if (!cells || cells->cells.size() != columns_.count || !is_operation(*cells)) return Ok{};
    return Error{
        "a comment that reads like an operation; expected the process in quotes (\"#1\"), or a blank after "
        "the # "
        "of what is left out",
        rows_.place(row.at)};
  }

  // #{"plumb":1,"model":"queue","initial":…,"id":…}
  Status header(const CsvRow& row) {
    const std::string_view text = trim(row.comment);
    const Place start = rows_.place(text.data());
    JsonReader reader(text);
    if (auto next = reader.next(); !next) return next.error();
    Header header;
    const auto place = [&](JsonValue json) {
      return Place{start.line, start.column + reader.place(json).column - 1};
    };
    auto status = reader.members([&](std::string_view name, JsonValue json) -> Status {
      if (!Header::has(name) && name != "id") return reader.skip(json);
      const Place at = place(json);
      auto value = reader.value(json, &builder_.values());
      if (!value) return value.error();
      if (name == "id") return header.set_name(*value, builder_.values()), Ok{};
      return header.set(name, *value, builder_.values(), at);
    });
    if (!status) {
      Error error = status.error();
      if (error.place.line != start.line || start.line == 1) error.place = start;
      return error;
    }
    if (!header.present()) return Ok{};  // a comment that begins like JSON
    if (started_) {
      if (auto finished = finish_history(); !finished) return finished;
    }
    header.apply(builder_);
    started_ = true;
    has_header_ = true;
    return Ok{};
  }

  Status names(const CsvRow& row) {
    if (started_ && !has_header_) {
      if (auto finished = finish_history(); !finished) return finished;
    }
    has_header_ = false;
    started_ = true;
    columns_ = {};
    columns_.count = row.cells.size();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (auto status = name(row.cells[i], i); !status) return status;
    }
    for (const Column needed : {kProcess, kFunction, kCall, kReturn}) {
      if (columns_.at[needed]) continue;
      return Error{fmt::format("no column \"{}\"; expected a first row with the columns process, f, args, "
                               "result, call and return",
                               kNames[needed][0]),
                   rows_.place(row.at)};
    }
    for (std::size_t i = 0; i < columns_.arguments.size(); ++i) {
      if (!columns_.arguments[i])
        return Error{fmt::format("no column \"arg{}\", but one for a later argument", i + 1),
                     rows_.place(row.at)};
    }
    return Ok{};
  }

  Status name(const CsvCell& cell, std::size_t i) {
    std::optional<std::size_t>* to = nullptr;
    const std::string given = lower_case(cell.text);
    if (const auto column = column_of(given)) {
      to = &columns_.at[*column];
    } else if (const auto argument = argument_of(given)) {
      if (columns_.arguments.size() <= *argument) columns_.arguments.resize(*argument + 1);
      to = &columns_.arguments[*argument];
    } else {
      return misspelt(cell, given);
    }
    if (*to) return Error{fmt::format("a second column for \"{}\"", cell.text), rows_.place(cell.at)};
    *to = i;
    if (columns_.at[kArgs] && !columns_.arguments.empty())
      return Error{"columns for single arguments beside one for all of them", rows_.place(cell.at)};
    return Ok{};
  }

  // Columns that are not known are no matter, but for those that would change what happened; nor must a slip of the pen be passed over.
  [[nodiscard]] Status misspelt(const CsvCell& cell, const std::string& given) {
    static constexpr std::array<std::string_view, 8> kMatter = {"key", "obj",   "object_id", "type",
                                                                "ok",  "error", "status",    "value"};
    if (std::ranges::find(kMatter, given) != kMatter.end())
      return Error{
          fmt::format("a column \"{}\", which may change what an operation is, and is not read; expected "
                      "process, f, args (or arg1, arg2 …), result, call, return, object: leave out what "
                      "failed, give no return to what may have happened, or rename the column",
                      cell.text),
          rows_.place(cell.at)};
    static const std::vector<std::string> kUsual = {"process", "args",   "arg1",  "result",
                                                    "call",    "return", "object"};
    for (const std::string& usual : kUsual) {
      constexpr std::size_t kSlip = 2;
      if (edit_distance(given, usual) > kSlip || given.size() + 1 < usual.size()) continue;
      return Error{fmt::format("a column \"{}\", which is none of history's (did you mean '{}'?); expected "
                               "process, f, args (or "
                               "arg1, arg2 …), result, call, return, object, or another name",
                               cell.text, usual),
                   rows_.place(cell.at)};
    }
    return Ok{};
  }

  Status operation(const CsvRow& row) {
    Values& values = builder_.values();
    const auto cell = [&](Column column) -> const CsvCell* {
      const auto at = columns_.at[column];
      return at && !row.cells[*at].text.empty() ? &row.cells[*at] : nullptr;
    };
    const Place place = rows_.place(row.at);
    const auto missing = [&](Column column) {
      return Error{
          fmt::format(
              "an operation without \"{}\"; expected process, f, call, and return (empty: it is pending)",
              kNames[column][0]),
          place};
    };
    for (const Column needed : {kProcess, kFunction, kCall}) {
      if (cell(needed) == nullptr) return missing(needed);
    }
    auto process = value_of(*cell(kProcess));
    if (!process) return process.error();
    const ValueKind kind = values.kind(*process);
    if (kind != ValueKind::kInteger && kind != ValueKind::kString) {
      return Error{
          fmt::format("expected the process as a whole number or a text, found {}", cell(kProcess)->text),
          rows_.place(cell(kProcess)->at)};
    }
    if (auto status = take_arguments(row); !status) return status;
    HistoryBuilder::Completed completed{kNull, false};
    if (cell(kResult) != nullptr) {
      auto result = value_of(*cell(kResult));
      if (!result) return result.error();
      completed = {*result, true};
    }
    const auto call = time(*cell(kCall), "the call time");
    if (!call) return call.error();
    Time ret = kNever;
    if (cell(kReturn) != nullptr) {
      const auto given = time(*cell(kReturn), "the return time, or an empty cell for a pending operation");
      if (!given) return given.error();
      ret = *given;
    } else if (completed.has_result && !completed.result.is_null()) {
      return Error{
          "a result of an operation that has not returned; expected none where the return time is empty",
          rows_.place(cell(kResult)->at)};
    }
    completed.has_result = completed.has_result && ret != kNever;
    const auto function = names_.id(builder_, cell(kFunction)->text);
    if (!function) return FunctionNames::too_many(rows_.place(cell(kFunction)->at));
    if (builder_.size() == History::kMaxOperations) return Error{"too many operations in one history", place};
    const OperationId added = builder_.add(*process, *function, arguments_, completed, *call, ret, place);
    if (cell(kObject) != nullptr) {
      auto object = value_of(*cell(kObject));
      if (!object) return object.error();
      builder_.set_object(added, *object);
    }
    return Ok{};
  }

  Status take_arguments(const CsvRow& row) {
    arguments_.clear();
    if (const auto at = columns_.at[kArgs]; at && !row.cells[*at].text.empty()) {
      auto all = value_of(row.cells[*at]);
      if (!all) return all.error();
      const Values& values = builder_.values();
      if (values.kind(*all) == ValueKind::kArray) {
        const auto items = values.as_array(*all);
        arguments_.assign(items.begin(), items.end());
      } else {
        arguments_.push_back(*all);
      }
      if (arguments_.size() > HistoryBuilder::kMaxArguments) {
        return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                     rows_.place(row.cells[*at].at)};
      }
    }
    for (std::size_t i = 0; i < columns_.arguments.size(); ++i) {
      const CsvCell& cell = row.cells[*columns_.arguments[i]];
      if (cell.text.empty()) continue;
      if (arguments_.size() != i)
        return Error{fmt::format("argument {} without the one before it", i + 1), rows_.place(cell.at)};
      auto argument = value_of(cell);
      if (!argument) return argument.error();
      arguments_.push_back(*argument);
    }
    return Ok{};
  }

  Result<Time> time(const CsvCell& cell, std::string_view what) {
    const Number number = parse_number(cell.text);
    if (number.kind == Number::Kind::kInteger && number.integer != kNever) return number.integer;
    return Error{fmt::format("expected {} as a whole number below 2^63-1, found {}", what, cell.text),
                 rows_.place(cell.at)};
  }

  Result<Value> value_of(const CsvCell& cell) {
    return cells_.value(cell.text, builder_.values(), rows_.place(cell.at));
  }

  Status finish_history() {
    auto history = builder_.finish();
    if (!history) return history.error();
    histories_.push_back(std::move(*history));
    names_.clear();
    started_ = false;
    return Ok{};
  }

  CsvRows rows_;
  HistoryBuilder builder_;
  FunctionNames names_;
  CsvValues cells_;
  Columns columns_;
  std::vector<Value> arguments_;
  std::vector<History> histories_;
  bool started_ = false;     // the history being built has a header or a row of names
  bool has_header_ = false;  // and no row of names after it
};

class CsvCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "csv"; }
  [[nodiscard]] std::string_view summary() const override {
    return "one operation per row, with named columns";
  }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 1> kEndings = {".csv"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    CsvRows rows(head);
    CsvRow row;
    do {
      const auto more = rows.next(row);
      if (!more || !*more) return Recognition::kNo;
    } while (row.is_comment);
    return is_header(row) ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    const std::string_view text = without_byte_order_mark(bytes);
    if (auto status = check_utf8(text); !status) return status.error();
    return CsvReader(text).run();
  }
  [[nodiscard]] bool can_write() const override { return true; }
  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    const Values& values = history.values();
    const std::size_t before = out.size();
    append_json_header(history, out);
    if (out.size() != before) out.insert(before, 1, '#');
    out += history.has_objects() ? "process,f,args,result,call,return,object\n"
                                 : "process,f,args,result,call,return\n";
    for (OperationId i = 0; i < history.size(); ++i) {
      if (history.function_name(i).empty())
        return Error{"operation " + std::to_string(i) + ": a function without a name, which csv cannot hold"};
      append_csv_value(values, history.process(i), out);
      out += ',';
      append_csv_cell(history.function_name(i), out);
      out += ',';
      append_csv_arguments(values, history.args(i), out);
      out += ',';
      if (history.has_result(i) && !history.is_pending(i)) append_csv_value(values, history.result(i), out);
      fmt::format_to(std::back_inserter(out), ",{},", history.call(i));
      if (!history.is_pending(i)) out += fmt::to_string(history.ret(i));
      if (history.has_objects()) out += ',';
      if (!history.object(i).is_null()) append_csv_value(values, history.object(i), out);
      out += '\n';
    }
    return Ok{};
  }
};

}  // namespace

const Codec& csv_codec() {
  static const CsvCodec codec;
  return codec;
}

}  // namespace plumb
