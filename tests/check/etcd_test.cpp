// Small histories of etcd, with calls whose effect is unknown: all engines against every order of a plain definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <plumb/check.hpp>
#include <plumb/files.hpp>

#include "base/rng.hpp"
#include "support/plain_etcd.hpp"
#include "support/scale.hpp"

namespace plumb::test {
namespace {

struct Recorded {
  PlainEtcd::Request request;
  std::optional<std::string> result = {};  // none: nobody saw it
  int call = 0;
  int ret = 0;
};

class Drawn {
 public:
  explicit Drawn(Rng& rng) : rng_(rng) {}

  // Operations take effect one after the other, each within its interval; then some answers are changed.
  std::vector<Recorded> history() {
    PlainEtcd etcd;
    std::vector<Recorded> all;
    const std::size_t count = 3 + rng_.below(4);
    for (std::size_t i = 0; i < count; ++i) {
      Recorded op{request()};
      const int at = 10 * static_cast<int>(i);
      op.call = at - static_cast<int>(rng_.below(25));
      op.ret = at + 1 + static_cast<int>(rng_.below(25));
      PlainEtcd before = etcd;
      op.result = etcd.apply(op.request);
      if (!op.result) {
        etcd = before;
        continue;
      }
      if (rng_.chance(0.3)) {
        if (rng_.chance(0.5)) etcd = before;
        op.result = std::nullopt;
      } else if (rng_.chance(0.1)) {
        op.result = "null";  // it was done, and that is all
      } else if (rng_.chance(0.1) && op.result->front() == '[') {
        op.result = op.result->substr(1, op.result->find(',') - 1);  // and at which revision
      }
      all.push_back(op);
    }
    if (rng_.chance(0.5)) spoil(all);
    return all;
  }

 private:
  std::string key() { return rng_.chance(0.5) ? "a" : "b"; }

  PlainEtcd::Request request() {
    const std::string value = fmt::format("v{}", rng_.below(3));
    const auto small = [&](std::uint64_t most) { return static_cast<std::int64_t>(rng_.below(most)); };
    switch (rng_.below(9)) {
      case 0:
        return {"put", key(), value, 0};
      case 1:
        return {"put", key(), value, small(3)};
      case 2:
        return {"delete", key(), {}, 0};
      case 3:
        return {"range", key(), {}, 0, rng_.chance(0.5)};
      case 4:
        return {"range", "a", {}, small(5), rng_.chance(0.5)};
      case 5:
        return {"txn", key(), value, small(4)};
      case 6:
        return {"read_txn", key(), value, small(4)};
      case 7:
        return {rng_.chance(0.6) ? "lease_grant" : "lease_revoke", {}, {}, 1 + small(2)};
      default:
        return {rng_.chance(0.9) ? "compact" : "defragment", {}, {}, small(5)};
    }
  }

  // Another digit somewhere, or the answer of another operation of the same kind.
  void spoil(std::vector<Recorded>& all) {
    if (all.empty()) return;
    Recorded& op = all[rng_.below(all.size())];
    if (!op.result) return;
    const Recorded& other = all[rng_.below(all.size())];
    if (other.result && other.request.function == op.request.function && rng_.chance(0.5)) {
      op.result = other.result;
      return;
    }
    const auto digit = op.result->find_first_of("123456789");
    if (digit != std::string::npos) (*op.result)[digit] = static_cast<char>('1' + rng_.below(5));
  }

  Rng& rng_;
};

std::string as_jsonl(const std::vector<Recorded>& all) {
  std::string text = "{\"plumb\":1,\"model\":\"etcd\"}\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Recorded& op = all[i];
    text += fmt::format(R"({{"process":{},"f":"{}","args":{})", i, op.request.function,
                        PlainEtcd::args(op.request));
    if (op.result) text += fmt::format(R"(,"result":{})", *op.result);
    text +=
        fmt::format(",\"call\":{},\"return\":{}}}\n", op.call, op.result ? fmt::to_string(op.ret) : "null");
  }
  return text;
}

bool answers(const std::string& recorded, const std::string& actual) {
  return recorded == "null" || recorded == actual || actual.starts_with("[" + recorded + ",");
}

// By the definition: some order, with some of those that nobody saw.
bool has_order(const std::vector<Recorded>& all, const PlainEtcd& etcd, std::set<std::size_t>& done) {
  const auto must = [&](std::size_t i) { return all[i].result && !done.contains(i); };
  bool complete = true;
  for (std::size_t i = 0; i < all.size(); ++i) complete = complete && !must(i);
  if (complete) return true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (done.contains(i)) continue;
    bool may_come = true;
    for (std::size_t k = 0; k < all.size(); ++k)
      may_come = may_come && !(k != i && must(k) && all[k].ret < all[i].call);
    if (!may_come) continue;
    PlainEtcd next = etcd;
    const auto result = next.apply(all[i].request);
    if (!result || (all[i].result && !answers(*all[i].result, *result))) continue;
    done.insert(i);
    const bool found = has_order(all, next, done);
    done.erase(i);
    if (found) return true;
  }
  return false;
}

Outcome outcome_of(const std::string& operations) {
  const auto histories = parse_histories("{\"plumb\":1,\"model\":\"etcd\"}\n" + operations, "jsonl");
  return check(histories.value()[0], **find_model("etcd")).value().outcome;
}

TEST(Etcd, ARangeAtARevisionThatIsStillToCome) {
  const std::string range =
      R"({"process":0,"f":"range","args":["a",null,0,false,2],"result":"future","call":2,"return":3})"
      "\n";
  const std::string put = R"({"process":1,"f":"put","args":["a","1"],"result":2,"call":0,"return":1})"
                          "\n";
  EXPECT_EQ(outcome_of(range), Outcome::kHolds);
  EXPECT_EQ(outcome_of(put + range), Outcome::kViolation);
}

TEST(Etcd, SmallHistoriesByEveryEngine) {
  Rng rng(20260);
  std::array<int, 2> seen{};
  for (std::size_t i = 0; i < scaled(6'000); ++i) {
    const std::vector<Recorded> drawn = Drawn(rng).history();
    const std::string text = as_jsonl(drawn);
    const auto histories = parse_histories(text, "jsonl");
    ASSERT_TRUE(histories) << histories.error().text() << text;
    std::set<std::size_t> done;
    const bool expected = has_order(drawn, PlainEtcd(), done);
    ++seen[expected ? 1 : 0];
    for (const Engine engine : {Engine::kBrute, Engine::kWgl, Engine::kAuto}) {
      CheckOptions options;
      options.engine = engine;
      const auto verdict = check((*histories)[0], **find_model("etcd"), options);
      ASSERT_TRUE(verdict) << verdict.error().text() << text;
      ASSERT_EQ(verdict->outcome, expected ? Outcome::kHolds : Outcome::kViolation) << text;
    }
  }
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

}  // namespace
}  // namespace plumb::test
