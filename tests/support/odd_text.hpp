// A history as JSON lines that nobody would write and everybody may: values of every type, numbers spelled in
// every way that JSON allows, names of processes and objects of any kind, members in any order, lines in any
// order, times anywhere. What is said stays the same: equal values stay equal, different ones different.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <plumb/model.hpp>

#include "base/rng.hpp"
#include "support/script.hpp"

namespace plumb::test {

// Spellings of one value each.
inline const std::vector<std::vector<std::string_view>>& odd_values() {
  static const std::vector<std::vector<std::string_view>> all = {
      {"1", "1.0", "1e0", "10e-1", "1.0000000000000000000000000000", "0.1E+1"},
      {"-1", "-1.0"},
      {"0", "0.0", "0e5"},
      {"0.5", "5e-1", "0.50000000000000000000000000"},
      {"3.141592653589793238462643", "3.141592653589793", "3141592653589793e-15"},
      {"2.718281828459045235360287", "2.718281828459045"},
      {"0.1", "0.1000000000000000055511151231257827"},
      {"0.30000000000000004", "0.3000000000000000444089209850062616169452667236328125"},
      {"0.3"},
      {"9007199254740993"},
      {"9007199254740992"},
      {"9223372036854775807"},
      {"9223372036854775806"},
      {"-9223372036854775808"},
      {"1e300", "1E+300", "1000e297"},
      {"1e-300"},
      {"5e-324", "4.9406564584124654417656879286822137e-324"},
      {"\"1\"", "\"\\u0031\""},
      {"\"1.0\""},
      {"\"\""},
      {"\"a\"", "\"\\u0061\""},
      {"\"\\u0000\""},
      {"\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\""},
      {"\"null\""},
      {"true"},
      {"false"},
      {"[]", "[ ]"},
      {"[null]"},
      {"[1]", "[1.0]", "[ 1e0 ]"},
      {"[[1]]"},
      {"{}"},
      {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}"},
      {"{\"a\":[1,2]}"},
  };
  return all;
}

// Models whose values may be anything.
inline bool takes_anything(const Model& model) {
  constexpr std::string_view kNames[] = {"queue", "stack", "deque", "set", "multiset", "map", "register"};
  return std::ranges::find(kNames, model.name()) != std::end(kNames);
}

class OddText {
 public:
  OddText(const Script& script, const Model& model, std::uint64_t seed)
      : script_(script), model_(model), rng_(seed) {}

  std::string make() {
    if (takes_anything(model_)) rename();
    offset_ = std::vector<Time>{0, -1000, Time{1} << 40U, (Time{1} << 62U) - 1}[rng_.below(4)];
    std::vector<std::string> lines;
    for (const Op& op : script_.operations) lines.push_back(line(op));
    shuffle(lines);
    std::string text =
        fmt::format("{{\"plumb\":1,\"initial\":{}}}\n", script_.values->to_json(script_.initial));
    for (const std::string& one : lines) text += one + "\n";
    return text;
  }

 private:
  // Two values of the palette for 1 and 2.
  void rename() {
    const std::size_t one = rng_.below(odd_values().size());
    const std::size_t other = (one + 1 + rng_.below(odd_values().size() - 1)) % odd_values().size();
    renamed_ = {{Value::small(1).bits(), one}, {Value::small(2).bits(), other}};
  }

  std::string value(Value v) {
    const auto found = renamed_.find(v.bits());
    if (found == renamed_.end()) return script_.values->to_json(v);
    const auto& spellings = odd_values()[found->second];
    return std::string(spellings[rng_.below(spellings.size())]);
  }

  // One name a process, whatever it is: numbers and strings that look like them are different.
  static std::string process(Value v) {
    const std::int64_t number = v.small_integer();
    switch (number % 4) {
      case 0:
        return fmt::to_string(number);
      case 1:
        return fmt::format("\"{}\"", number - 1);
      case 2:
        return fmt::format("{}", number + 9'007'199'254'740'992);
      default:
        return fmt::format("\"client {} \\u00e9\"", number);
    }
  }

  std::string line(const Op& op) {
    std::vector<std::string> args;
    for (const Value arg : op.args) args.push_back(value(arg));
    std::vector<std::string> members = {
        fmt::format(R"("process":{})", process(op.process)), fmt::format(R"("f":"{}")", op.f),
        fmt::format(R"("args":[{}])", fmt::join(args, rng_.below(2) == 0 ? "," : " , ")),
        fmt::format(R"("call":{})", op.call + offset_),
        op.is_pending() ? R"("return":null)" : fmt::format(R"("return": {})", op.ret + offset_)};
    if (op.result && !op.is_pending()) members.push_back(fmt::format(R"("result":{})", value(*op.result)));
    if (op.object) members.push_back(fmt::format(R"("object":"{}")", script_.values->to_json(*op.object)));
    if (rng_.below(2) == 0) shuffle(members);
    return fmt::format("{{{}}}", fmt::join(members, rng_.below(2) == 0 ? "," : ", "));
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng_.below(i)]);
  }

  const Script& script_;
  const Model& model_;
  Rng rng_;
  std::map<std::uint32_t, std::size_t> renamed_;
  Time offset_ = 0;
};

}  // namespace plumb::test
