// etcd: what clients of etcd's robustness tests recorded (client-N/operations.json): operations of Porcupine whose Input and Output are
// etcd's requests and responses.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/file_io.hpp"
#include "formats/codecs.hpp"
#include "formats/etcd_report.hpp"
#include "formats/etcd_values.hpp"
#include "formats/json_history.hpp"
#include "formats/process_lanes.hpp"
#include "formats/sniff.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class EtcdReader final : public JsonHistoryReader {
 public:
  EtcdReader() = default;
  // Of several files: a line of one of them says nothing.
  struct OfSeveralFiles {};
  explicit EtcdReader(OfSeveralFiles /*files*/) : has_places_(false) {}

 private:
  struct Recorded {
    EtcdCall call;
    Value client;
    Time called = 0;
    Time ret = kNever;
    Place place;
  };

  Status document() override {
    std::optional<Value> client;
    std::optional<Value> input;
    std::optional<Value> output;
    std::optional<std::int64_t> called;
    std::optional<std::int64_t> ret;
    const Place place = reader().place();
    auto status = reader().members([&](std::string_view name, JsonValue json) -> Status {
      if (name == "ClientId") return keep(client, reader().value(json, &table()));
      if (name == "Input") return keep(input, reader().value(json, &table()));
      if (name == "Output") return keep(output, reader().value(json, &table()));
      if (name == "Call") return keep(called, reader().integer(json, "the call time"));
      if (name == "Return") return keep(ret, reader().integer(json, "the return time"));
      return reader().skip(json);
    });
    if (!status) return status;
    const char* missing = !client   ? "ClientId"
                          : !input  ? "Input"
                          : !called ? "Call"
                          : !output ? "Output"
                          : !ret    ? "Return"
                                    : nullptr;
    if (missing != nullptr) {
      return Error{
          fmt::format("an operation without \"{}\"; expected ClientId, Input, Call, Output and Return",
                      missing),
          place};
    }
    auto call = etcd_call(*input, *output, table());
    if (!call) return Error{call.error().message, place};
    if (!call->result && call->only_reads) return Ok{};  // nothing was seen, and nothing changed
    if (recorded_.size() == History::kMaxOperations)
      return Error{"too many operations in one history", place};
    const Time until = call->result ? *ret : kNever;
    recorded_.push_back({std::move(*call), *client, *called, until, place});
    return Ok{};
  }

  template <class T>
  static Status keep(std::optional<T>& to, Result<T> from) {
    if (!from) return from.error();
    to = *from;
    return Ok{};
  }

  // The clients' files are read one after the other: their operations come by time. A client has a new number after a call that failed.
  Status build() override {
    std::ranges::stable_sort(recorded_, {}, [](const Recorded& op) { return std::pair(op.called, op.ret); });
    if (auto status = grants_come_first(); !status) return status;
    std::vector<ClientOperation> clients;
    for (const Recorded& op : recorded_) clients.push_back({op.client, op.called, op.ret});
    const std::vector<Value> process = processes_of(clients, table());
    for (std::size_t i = 0; i < recorded_.size(); ++i) {
      const Recorded& op = recorded_[i];
      const auto id = function(op.call.function, op.place);
      if (!id) return id.error();
      builder().add(process[i], *id, op.call.args,
                    {op.call.result.value_or(kNull), op.call.result.has_value()}, op.called, op.ret,
                    has_places_ ? op.place : Place{});
    }
    builder().set_model("etcd");
    return Ok{};
  }

  // What the model knows of leases: none comes back.
  [[nodiscard]] Status grants_come_first() {
    absl::flat_hash_set<std::uint32_t> revoked;
    for (const Recorded& op : recorded_) {
      if (op.call.function == "lease_revoke") revoked.insert(op.call.args[0].bits());
      if (op.call.function == "lease_grant" && revoked.contains(op.call.args[0].bits()))
        return Error{
            fmt::format("lease {} is granted after it was revoked; expected numbers that are given once",
                        builder().values().to_json(op.call.args[0])),
            op.place};
    }
    return Ok{};
  }

  std::vector<Recorded> recorded_;
  bool has_places_ = true;
};

class EtcdCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "etcd"; }
  [[nodiscard]] std::string_view summary() const override {
    return "operations.json of the clients of etcd's robustness tests";
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    return is_like_etcd_report(head) ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    return read_json_history<EtcdReader>(bytes);
  }
};

// In the order of the clients' names.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path file = it->path() / "operations.json";
    std::error_code ignored;
    if (it->path().filename().native().starts_with("client-") && fs::is_regular_file(file, ignored))
      files.push_back(file.native());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

const Codec& etcd_codec() {
  static const EtcdCodec codec;
  return codec;
}

bool is_like_etcd_report(std::string_view head) {
  const auto names = sniff_json(head);
  if (!names || !names->has("Input") || !names->has("Output")) return false;
  const auto has = [&](std::string_view name) { return head.find(name) != std::string_view::npos; };
  return has("\"LeaseGrant\"") && has("\"LeaseRevoke\"") && has("\"Defragment\"");
}

bool is_etcd_report(const std::string& folder) { return !files_of(folder).empty(); }

Result<std::vector<History>> read_etcd_report(const std::string& folder) {
  EtcdReader reader{EtcdReader::OfSeveralFiles()};
  for (const std::string& path : files_of(folder)) {
    auto file = InputFile::open(path);
    if (!file) return file.error();
    std::string read;
    if (!file->is_mapped()) {
      if (auto status = file->read(read, std::numeric_limits<std::size_t>::max()); !status)
        return status.error();
    }
    if (auto status = reader.read(file->is_mapped() ? file->mapped() : std::string_view(read)); !status) {
      Error error = status.error();
      error.file = path;
      return error;
    }
  }
  return reader.finish();
}

}  // namespace plumb
