// The observation file as JSON.
#include <fmt/format.h>

#include "json/json_reader.hpp"
#include "json/json_writer.hpp"
#include "testing/observation_file.hpp"

namespace plumb::testing {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const TestCase& test) : reader_(text), test_(test) {}

  Result<std::vector<ObservationSet>> sets() {
    std::vector<ObservationSet> all;
    while (true) {
      auto more = reader_.next();
      if (!more) return more.error();
      if (!*more) return all;
      ObservationSet set;
      is_ours_ = false;
      if (auto status = read_set(set); !status) return status.error();
      if (is_ours_) all.push_back(std::move(set));
    }
  }

 private:
  // What is of another test is passed over: its operations are not known.
  Status read_set(ObservationSet& set) {
    bool has_scenario = false;
    auto status = reader_.members([&](std::string_view name, JsonValue json) -> Status {
      if (name == "test") {
        auto test = reader_.string(json, "the name of the test");
        if (!test) return test.error();
        is_ours_ = *test == test_.name();
        return Ok{};
      }
      if (!is_ours_) return reader_.skip(json);
      if (name == "scenario") {
        has_scenario = true;
        return read_scenario(json, set.scenario);
      }
      if (name != "histories") return reader_.unexpected(json, "test, scenario or histories");
      if (!has_scenario) return reader_.unexpected(json, "the scenario before its histories");
      return reader_.items(json, [&](JsonValue item) { return read_history(item, set); });
    });
    if (!status || !is_ours_ || has_scenario) return status;
    return Error{"expected a scenario", reader_.place()};
  }

  Status read_scenario(JsonValue json, Scenario& scenario) {
    const Place place = reader_.place(json);
    auto status = reader_.members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "before") return read_calls(member, scenario.before);
      if (name == "after") return read_calls(member, scenario.after);
      if (name != "threads") return reader_.unexpected(member, "before, threads or after");
      return reader_.items(
          member, [&](JsonValue thread) { return read_calls(thread, scenario.threads.emplace_back()); });
    });
    if (!status || can_be_run(scenario)) return status;
    return Error{"expected a scenario with threads, and not too many", place};
  }

  Status read_calls(JsonValue json, std::vector<InvocationId>& calls) {
    return reader_.items(json, [&](JsonValue item) -> Status {
      const Place place = reader_.place(item);
      std::string function;
      Value args = kNull;
      auto status = reader_.members(item, [&](std::string_view name, JsonValue member) -> Status {
        if (name == "args") return take(reader_.value(member, &test_.values()), args);
        if (name != "f") return reader_.unexpected(member, "f or args");
        return take(reader_.string(member, "the name of an operation"), function);
      });
      if (!status) return status;
      Values& values = test_.values();
      if (values.kind(args) != ValueKind::kArray) return Error{"expected args, as an array", place};
      const auto invocation = find_invocation(test_, function, values.as_array(args));
      if (!invocation) {
        return Error{fmt::format("the test {} has no operation {} with the arguments {}", test_.name(),
                                 function, values.to_json(args)),
                     place};
      }
      calls.push_back(*invocation);
      return Ok{};
    });
  }

  Status read_history(JsonValue json, ObservationSet& set) {
    SerialHistory history;
    auto status = reader_.items(json, [&](JsonValue item) { return read_step(item, set.scenario, history); });
    if (status) set.histories.push_back(std::move(history));
    return status;
  }

  Status read_step(JsonValue json, const Scenario& scenario, SerialHistory& history) {
    const Place place = reader_.place(json);
    std::int64_t operation = -1;
    std::optional<Value> result;
    bool blocks = false;
    auto status = reader_.members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "operation") return take(reader_.integer(member, "the number of an operation"), operation);
      if (name == "result") return take(reader_.value(member, &test_.values()), result.emplace());
      if (name != "blocks" || JsonReader::first_char(member) != 't')
        return reader_.unexpected(member, "operation, result, or that it blocks");
      blocks = true;
      return reader_.skip(member);
    });
    if (!status) return status;
    if (operation < 0 || operation >= static_cast<std::int64_t>(scenario.size()))
      return Error{fmt::format("expected the number of an operation, below {}", scenario.size()), place};
    if (blocks == result.has_value()) return Error{"expected either a result, or that it blocks", place};
    if (!history.results.empty() && !history.results.back())
      return Error{"expected nothing after an operation that blocks", place};
    history.order.push_back(static_cast<std::size_t>(operation));
    history.results.push_back(result);
    return Ok{};
  }

  template <class From, class To>
  static Status take(Result<From> from, To& to) {
    if (!from) return from.error();
    to = *from;
    return Ok{};
  }

  JsonReader reader_;
  const TestCase& test_;
  bool is_ours_ = false;  // the document is of this test
};

}  // namespace

std::string write_json_observations(const TestCase& test, const Scenario& scenario, const SerialTree& tree) {
  JsonWriter json;
  const auto calls = [&](const std::vector<InvocationId>& all) {
    json.array(all, [&](InvocationId id) {
      const auto& invocation = test.invocations()[id];
      json.object([&] {
        json.member("f", test.operations()[invocation.operation].name);
        json.key("args").array(
            invocation.args, [&](Value value) { json.value(JsonWriter::Raw{test.values().to_json(value)}); });
      });
    });
  };
  json.object([&] {
    json.member("test", test.name());
    json.key("scenario").object([&] {
      json.key("before"), calls(scenario.before);
      json.key("threads").array(scenario.threads, calls);
      json.key("after"), calls(scenario.after);
    });
    json.key("histories").array(histories_of(tree, Layout(scenario)), [&](const SerialHistory& history) {
      std::size_t i = 0;
      json.array(history.order, [&](std::size_t operation) {
        const std::optional<Value>& result = history.results[i++];
        json.object([&] {
          json.member("operation", operation);
          if (result) json.member("result", JsonWriter::Raw{test.values().to_json(*result)});
          if (!result) json.member("blocks", true);
        });
      });
    });
  });
  return json.take() + "\n";
}

Result<std::vector<ObservationSet>> read_json_observations(std::string_view text, const TestCase& test) {
  return Reader(text, test).sets();
}

}  // namespace plumb::testing
