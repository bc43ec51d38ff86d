// Scripts of operations that run one after the other: "enqueue(1)", "dequeue() -> 1", "3: acquire()" by
// process 3, "acquire() -> never" for what cannot happen there (and does not).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <plumb/files.hpp>
#include <plumb/model.hpp>

#include "spec/bind.hpp"

namespace plumb::test {

struct Line {
  std::string process = "0";
  std::string function;
  std::string args;
  std::string result = "null";
  bool possible = true;
};

inline Line parse_line(std::string_view text) {
  Line line;
  const std::size_t open = text.find('(');
  const std::size_t arrow = text.rfind(" -> ");
  const std::size_t close = text.rfind(')', arrow);
  std::string_view head = text.substr(0, open);
  if (const std::size_t colon = head.find(": "); colon != std::string_view::npos) {
    line.process = head.substr(0, colon);
    head.remove_prefix(colon + 2);
  }
  line.function = head;
  line.args = text.substr(open + 1, close - open - 1);
  if (arrow != std::string_view::npos) line.result = text.substr(arrow + 4);
  if (line.result == "never") {
    line.possible = false;
    line.result = "null";
  }
  return line;
}

inline Result<std::vector<History>> parse_script(const std::vector<Line>& lines, const std::string& initial) {
  std::string text = fmt::format("{{\"plumb\":1,\"initial\":{}}}\n", initial);
  int time = 0;
  for (const Line& line : lines) {
    text += fmt::format(R"({{"process":{},"f":"{}","args":[{}],"result":{},"call":{},"return":{}}})"
                        "\n",
                        line.process, line.function, line.args, line.result, time, time + 1);
    time += 2;
  }
  return parse_histories(text, "jsonl");
}

// Runs the script on the model: every operation must return what the script says, and nothing else. Gives the
// state at the end, as the model writes it.
inline std::string run_script(const Model& model, const std::string& initial,
                              const std::vector<std::string>& script) {
  std::vector<Line> lines;
  for (const std::string& text : script) lines.push_back(parse_line(text));
  const auto histories = parse_script(lines, initial);
  if (!histories) return ADD_FAILURE() << histories.error().text(), "";
  const History& history = histories->front();
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return ADD_FAILURE() << bound.error().text(), "";
  const auto states = model.states(history.values(), history.initial());
  if (!states) return ADD_FAILURE() << states.error().text(), "";
  StateId state = (*states)->initial();
  for (OperationId i = 0; i < history.size(); ++i) {
    SCOPED_TRACE(fmt::format("line {}: {} in {}", i, script[i], (*states)->describe(state)));
    const auto allowed = (*states)->results(state, bound->call(i));
    std::vector<StateId> next;
    (*states)->step(state, bound->call(i), bound->result(i), next);
    EXPECT_EQ(next.size(), lines[i].possible ? 1U : 0U);
    EXPECT_EQ(allowed.size(), lines[i].possible ? 1U : 0U);
    if (next.size() != 1) continue;
    std::vector<StateId> pending;
    (*states)->step(state, bound->call(i), std::nullopt, pending);
    EXPECT_EQ(pending, next);
    EXPECT_TRUE(!bound->leaves_state(i) || next[0] == state);
    state = next[0];
  }
  return (*states)->describe(state);
}

}  // namespace plumb::test
