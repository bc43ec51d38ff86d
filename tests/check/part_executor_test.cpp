// Parts decided elsewhere: the verdict is, in every detail, that of check(), and messages lose nothing.
#include "check/part_executor.hpp"

#include <gtest/gtest.h>

#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

// Decides at the other end of messages, the last task first.
class Elsewhere final : public PartExecutor {
 public:
  Elsewhere(const History& history, const Model& model, const CheckOptions& options)
      : server_(PartServer::open(history, model, options).value()) {}

  void decide(std::span<const PartTask> tasks, std::optional<double> seconds,
              const Decided& decided) override {
    for (std::size_t i = tasks.size(); i > 0; --i) {
      const auto task = task_from(to_message(tasks[i - 1]));
      auto verdict = verdict_from(to_message(server_->decide(task.value(), seconds)));
      decided(i - 1, std::move(verdict).value());
    }
    ++rounds;
  }
  int rounds = 0;

 private:
  std::unique_ptr<PartServer> server_;
};

std::string told(const Verdict& verdict) {
  std::string out = std::string(to_string(verdict.outcome)) + to_string(verdict.engines) + verdict.why +
                    std::to_string(verdict.parts) + " " + std::to_string(verdict.configurations);
  for (const OperationId id : verdict.linearization) out += " " + std::to_string(id);
  if (verdict.depth) out += " depth " + std::to_string(*verdict.depth);
  if (!verdict.violation) return out;
  const Violation& violation = *verdict.violation;
  out += violation.reason + std::to_string(violation.stuck) + (violation.of_core_only ? " core" : "");
  for (const OperationId id : violation.operations) out += " " + std::to_string(id);
  for (const OperationId id : violation.prefix) out += " " + std::to_string(id);
  for (const std::string& text : violation.allowed) out += " " + text;
  for (const std::string& text : violation.states) out += " " + text;
  return out;
}

TEST(PartExecutor, SaysWhatTheCheckSays) {
  const std::size_t count = test::scaled(60);
  for (const char* name : {"map", "set", "register", "queue", "kv-append", "multi-register"}) {
    const auto model = find_model(name);
    if (!model) continue;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
      const test::RandomShape shape{.processes = 4, .operations = 40, .objects = 1 + seed % 4};
      const History history = test::RandomHistory(**model, shape, seed).make().build();
      for (const Engine engine : {Engine::kAuto, Engine::kWgl, Engine::kHitting}) {
        const CheckOptions options{.engine = engine, .jobs = 1};
        const auto here = check(history, **model, options);
        ASSERT_TRUE(here);
        Elsewhere executor(history, **model, options);
        EXPECT_EQ(told(check_with(history, **model, options, executor).value()), told(*here)) << name << seed;
        const auto easy = check_if_easy(history, **model, options);
        if (*easy) {
          EXPECT_EQ(told(**easy), told(*here)) << name << seed;
        }
      }
    }
  }
}

// Every order of the writes of each key is tried: more than a short try does.
History hard(int wrong) {
  test::Script script;
  for (int key = 0; key < 5; ++key) {
    for (int i = 0; i < 11 + key % 2; ++i)
      script.add(key * 100 + i, "put(" + std::to_string(key) + "," + std::to_string(i) + "):null", i,
                 100 + i);
    const std::string result = key == wrong ? "999" : "0";
    script.add(key * 100 + 50, "get(" + std::to_string(key) + "):" + result, 200, 201);
    script.add(key * 100 + 50, "get(" + std::to_string(key) + "):" + (key < wrong ? "1" : result), 202, 203);
  }
  return script.build();
}

TEST(PartExecutor, WhatIsHardTakesRounds) {
  const Model& model = *find_model("map").value();
  for (const int wrong : {0, 3, 5}) {
    const History history = hard(wrong);
    const CheckOptions options{.engine = Engine::kWgl, .jobs = 1};
    const Verdict here = check(history, model, options).value();
    Elsewhere executor(history, model, options);
    EXPECT_EQ(told(check_with(history, model, options, executor).value()), told(here)) << wrong;
    const auto easy = check_if_easy(history, model, options).value();
    EXPECT_EQ(easy.has_value(), executor.rounds == 1) << wrong;
    CheckOptions many = options;
    many.jobs = 4;
    EXPECT_EQ(told(check(history, model, many).value()), told(here)) << wrong;
  }
}

TEST(PartExecutor, TornMessagesAreNoVerdicts) {
  PartVerdict verdict;
  verdict.outcome = Outcome::kViolation;
  verdict.stuck.allowed = {"1", "2"};
  verdict.core = {Event::call(0), Event::ret(0)};
  const std::string message = to_message(verdict);
  EXPECT_TRUE(verdict_from(message));
  for (std::size_t size = 0; size < message.size(); ++size)
    EXPECT_FALSE(verdict_from(std::string_view(message).substr(0, size))) << size;
}

}  // namespace
}  // namespace plumb
