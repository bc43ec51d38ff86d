// jsonl, the native format: one operation per line. A line with "plumb" says what the operations after it are
// and starts a history of its own; a line with "history" holds a whole one.
#include <array>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/native_line.hpp"
#include "formats/sniff.hpp"
#include "history/function_names.hpp"
#include "history/header.hpp"
#include "json/json_reader.hpp"
#include "json/quick_scanner.hpp"

namespace plumb {
namespace {

// What one line may have, as far as it has it. Positions are kept for the errors that need more than one
// member.
struct OperationMembers {
  Value process;
  std::string_view function;
  std::vector<Value> args;
  Value result;
  Value object;
  Value id;
  Time call = 0;
  Time ret = 0;
  const char* process_at = nullptr;
  const char* function_at = nullptr;
  const char* result_at = nullptr;
  const char* object_at = nullptr;
  const char* id_at = nullptr;
  const char* call_at = nullptr;
  const char* ret_at = nullptr;
};

class JsonlReader {
 public:
  explicit JsonlReader(std::string_view text) : reader_(text), text_(text) {}

  Result<std::vector<History>> run() {
    reserve();
    while (true) {
      auto more = reader_.next();
      if (!more) return more.error();
      if (!*more) break;
      if (quick_line()) continue;
      if (auto status = general_line(); !status) return status.error();
    }
    if (started_ || histories_.empty()) {
      if (auto status = finish_history(); !status) return status.error();
    }
    return std::move(histories_);
  }

 private:
  // Room for as many operations as the first lines promise: columns that grow by doubling would hold twice
  // the memory.
  void reserve() {
    constexpr std::size_t kSample = 1U << 16U;
    if (text_.size() <= kSample) return;
    const auto lines = std::ranges::count(text_.substr(0, kSample), '\n');
    builder_.reserve(static_cast<std::size_t>(lines) * (text_.size() / kSample + 1));
  }

  bool quick_line() {
    if (reader_.slack() < kQuickSlack || !scan_native_line(reader_.text(), builder_.values(), quick_))
      return false;
    const auto function = names_.id(builder_, quick_.function);
    if (!function || builder_.size() == History::kMaxOperations) return false;
    const OperationId added = builder_.add(quick_.process, *function, quick_.args(), quick_.completed,
                                           quick_.call, quick_.ret, reader_.place());
    if (!quick_.object.is_null()) builder_.set_object(added, quick_.object);
    started_ = true;
    return true;
  }

  Status general_line() {
    Header header;
    bool whole = false;
    operation_ = {};
    auto status = reader_.members([&](std::string_view name, JsonValue json) -> Status {
      if (Header::has(name)) return header_member(header, name, json);
      if (name != "history") return operation_member(name, json);
      whole = true;
      return whole_history(json);
    });
    if (!status) return status;
    if (!header.present() && !whole) return add_operation(reader_.place());
    if (!whole && started_) {
      if (auto finished = finish_history(); !finished) return finished;
    }
    if (operation_.id_at != nullptr) header.set_name(operation_.id, builder_.values());
    header.apply(builder_);
    started_ = true;
    return whole ? finish_history() : Ok{};
  }

  Status header_member(Header& header, std::string_view name, JsonValue json) {
    const char* at = JsonReader::position(json);
    auto value = reader_.value(json, &builder_.values());
    if (!value) return value.error();
    return header.set(name, *value, builder_.values(), reader_.place(at));
  }

  Status whole_history(JsonValue json) {
    if (started_) {
      if (auto status = finish_history(); !status) return status;
    }
    const OperationMembers outer = std::move(operation_);  // an "id" before "history" is that of the line
    auto status = reader_.items(json, [&](JsonValue item) -> Status {
      operation_ = {};
      const Place place = reader_.place(item);
      auto read = reader_.members(
          item, [&](std::string_view name, JsonValue member) { return operation_member(name, member); });
      return read ? add_operation(place) : read;
    });
    operation_ = outer;
    return status;
  }

  Status operation_member(std::string_view name, JsonValue json) {
    OperationMembers& op = operation_;
    const char* at = JsonReader::position(json);
    if (name == "process") return op.process_at = at, process(json);
    if (name == "f")
      return op.function_at = at, take(op.function, reader_.string(json, "the function's name"));
    if (name == "args") return arguments(json);
    if (name == "call") return op.call_at = at, take(op.call, reader_.integer(json, "the call time"));
    if (name == "return") return op.ret_at = at, return_time(json);
    if (name == "result") return op.result_at = at, take(op.result, reader_.value(json, &builder_.values()));
    if (name == "object") return op.object_at = at, take(op.object, reader_.value(json, &builder_.values()));
    if (name == "id") return op.id_at = at, take(op.id, reader_.value(json, &builder_.values()));
    return reader_.skip(json);
  }

  template <class T>
  static Status take(T& to, Result<T> from) {
    if (!from) return from.error();
    to = *from;
    return Ok{};
  }

  Status process(JsonValue json) {
    const char first = JsonReader::first_char(json);
    if (first == '"') return take(operation_.process, reader_.value(json, &builder_.values()));
    if (first != '-' && !is_digit(first))
      return reader_.unexpected(json, "the process as a whole number or a string");
    auto number = reader_.integer(json, "the process");
    if (!number) return number.error();
    operation_.process = builder_.values().integer(*number);
    return Ok{};
  }

  Status arguments(JsonValue json) {
    operation_.args.clear();
    if (JsonReader::first_char(json) == 'n') return reader_.skip(json);
    if (JsonReader::first_char(json) != '[') return reader_.unexpected(json, "the arguments as an array");
    return reader_.items(json, [&](JsonValue item) -> Status {
      if (operation_.args.size() == HistoryBuilder::kMaxArguments) {
        return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                     reader_.place(item)};
      }
      auto value = reader_.value(item, &builder_.values());
      if (!value) return value.error();
      operation_.args.push_back(*value);
      return Ok{};
    });
  }

  Status return_time(JsonValue json) {
    operation_.ret = kNever;
    const char first = JsonReader::first_char(json);
    if (first == 'n') return reader_.skip(json);
    if (first != '-' && !is_digit(first)) {
      return reader_.unexpected(json, "the return time as a whole number, or null for a pending operation");
    }
    auto time = reader_.integer(json, "the return time");
    if (!time) return time.error();
    if (*time == kNever) return reader_.unexpected(json, "a return time below 2^63-1");
    operation_.ret = *time;
    return Ok{};
  }

  Status add_operation(Place place) {
    const OperationMembers& op = operation_;
    const auto missing = [&](std::string_view name) {
      return Error{
          fmt::format("an operation without \"{}\"; expected process, f, args, result, call and return",
                      name),
          place};
    };
    if (op.process_at == nullptr) return missing("process");
    if (op.function_at == nullptr) return missing("f");
    if (op.call_at == nullptr) return missing("call");
    if (op.ret_at == nullptr) return missing("return");
    const bool pending = op.ret == kNever;
    if (pending && !op.result.is_null()) {
      return Error{"a result of an operation that has not returned; expected none where \"return\" is null",
                   reader_.place(op.result_at)};
    }
    if (op.id_at != nullptr && !ids_.insert(op.id).second) {
      return Error{
          fmt::format("the id {} appears twice; expected a new one", builder_.values().to_json(op.id)),
          reader_.place(op.id_at)};
    }
    const auto function = names_.id(builder_, op.function);
    if (!function) return FunctionNames::too_many(reader_.place(op.function_at));
    if (builder_.size() == History::kMaxOperations) return Error{"too many operations in one history", place};
    const HistoryBuilder::Completed completed{op.result, op.result_at != nullptr && !pending};
    const OperationId added = builder_.add(op.process, *function, op.args, completed, op.call, op.ret, place);
    if (op.object_at != nullptr) builder_.set_object(added, op.object);
    started_ = true;
    return Ok{};
  }

  Status finish_history() {
    auto history = builder_.finish();
    if (!history) return history.error();
    histories_.push_back(std::move(*history));
    names_.clear();
    ids_.clear();
    started_ = false;
    return Ok{};
  }

  JsonReader reader_;
  HistoryBuilder builder_;
  FunctionNames names_;
  NativeOperation quick_;
  OperationMembers operation_;
  absl::flat_hash_set<Value> ids_;
  std::vector<History> histories_;
  bool started_ = false;  // the history being built has a header or an operation
  std::string_view text_;
};

class JsonlCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "jsonl"; }
  [[nodiscard]] std::string_view summary() const override {
    return "native: one operation per line, in JSON";
  }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 3> kEndings = {".jsonl", ".json", ".ndjson"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    const auto names = sniff_json(head);
    if (!names) return Recognition::kNo;
    return names->has("call") || names->has("history") ? Recognition::kCertain : Recognition::kPossible;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    return JsonlReader(bytes).run();
  }
  [[nodiscard]] bool can_write() const override { return true; }

  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    append_json_header(history, out);
    const Values& values = history.values();
    for (OperationId i = 0; i < history.size(); ++i) {
      out += R"({"process":)";
      values.append_json(history.process(i), out);
      out += R"(,"f":)";
      append_json_string(history.function_name(i), out);
      out += R"(,"args":[)";
      for (std::size_t k = 0; k < history.args(i).size(); ++k) {
        if (k != 0) out += ',';
        values.append_json(history.args(i)[k], out);
      }
      out += ']';
      if (history.has_result(i) && !history.is_pending(i)) {
        out += R"(,"result":)";
        values.append_json(history.result(i), out);
      }
      if (!history.object(i).is_null()) {
        out += R"(,"object":)";
        values.append_json(history.object(i), out);
      }
      auto to = std::back_inserter(out);
      fmt::format_to(to, R"(,"call":{},"return":)", history.call(i));
      if (history.is_pending(i)) {
        out += "null}\n";
      } else {
        fmt::format_to(to, "{}}}\n", history.ret(i));
      }
    }
    return Ok{};
  }
};

}  // namespace

const Codec& jsonl_codec() {
  static const JsonlCodec codec;
  return codec;
}

}  // namespace plumb
