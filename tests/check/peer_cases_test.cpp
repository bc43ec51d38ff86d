// The test cases of FPTLin and of PolyLin, its predecessor for distinct values (Lee and Mathur, PLDI 2026 and OOPSLA 2025): what they say of their
// cases, all engines say. They are not part of this repository: PLUMB_PEER_CASES names a folder with them.
//
//   # queue                      # stack
//   0 1 5 ENQ 1                  push 1 1 2
//   PROCESS CALL RETURN F V…     F V… CALL RETURN
//
// The name of a file says the verdict: lin_*, nonlin_*, or *.1.log, *.0.log. Their priority queues give the largest value first;
// a return comes before a call at the same time; -1 is "nothing".
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string function;
  std::vector<std::int64_t> values;
  Time call = 0;
  Time ret = 0;
};

Row read_row(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  const bool has_process = std::isdigit(static_cast<unsigned char>(line[0])) != 0;
  const auto number = [&](std::size_t i) { return std::stoll(all.at(i)); };
  Row row;
  row.function = all.at(has_process ? 3 : 0);
  for (std::size_t i = has_process ? 4 : 1; i < all.size() - (has_process ? 0 : 2); ++i)
    row.values.push_back(number(i));
  row.call = 2 * number(has_process ? 1 : all.size() - 2) + 1;
  row.ret = 2 * number(has_process ? 2 : all.size() - 1);
  for (char& c : row.function) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return row;
}

std::string model_of(const std::string& type) {
  static const std::map<std::string, std::string> models = {
      {"priorityqueue", "priority-queue"}, {"pqueue", "priority-queue"}, {"rmw", "register"}};
  const auto it = models.find(type);
  return it == models.end() ? type : it->second;
}

// As it is called here; with what it returned, where it asks for a value.
std::string call_of(const Row& row, const std::string& type) {
  const bool is_priority = model_of(type) == "priority-queue";
  const auto value = [&](std::size_t i) {
    return std::to_string(is_priority ? -row.values.at(i) : row.values.at(i));
  };
  if (type == "rmw") return "cas(" + value(0) + "," + value(1) + "):true";
  if (type == "set") return row.function + "(" + value(0) + "):" + (row.values.at(1) != 0 ? "true" : "false");
  if (row.function == "incr") return "release:null";
  if (row.function == "decr") return row.values.at(0) != 0 ? "try_acquire:true" : "try_acquire:false";
  const bool inserts = row.function == "enq" || row.function == "insert" || row.function.starts_with("push");
  if (inserts) return row.function + "(" + value(0) + "):null";
  const std::string name = row.function == "poll" ? "extract_min" : row.function;
  return name + ":" + (row.values.at(0) == -1 ? "null" : value(0));
}

TEST(PeerCases, AreJudgedAsTheirNamesSay) {
  const char* folder = std::getenv("PLUMB_PEER_CASES");
  if (folder == nullptr) GTEST_SKIP() << "PLUMB_PEER_CASES names no folder";
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".log") continue;
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    const std::string type = line.substr(line.find_first_not_of("# "));
    test::Script script;
    if (type == "rmw" || type == "semaphore") script.initial = Value::small(0);
    while (std::getline(file, line)) {
      if (line.empty()) continue;
      const Row row = read_row(line);
      script.add(static_cast<int>(script.operations.size()), call_of(row, type), row.call, row.ret);
    }
    const History history = script.build();
    const Model& model = *find_model(model_of(type)).value();
    ASSERT_TRUE(test::agree(history, model)) << entry.path();
    const std::string name = entry.path().filename();
    const bool is_linearizable = name.starts_with("lin_") || name.ends_with(".1.log");
    const auto verdict = check(history, model, test::options(Engine::kAuto));
    EXPECT_EQ(verdict->outcome, is_linearizable ? Outcome::kHolds : Outcome::kViolation) << entry.path();
    ++compared;
  }
  EXPECT_GT(compared, 0U) << folder << " has no *.log";
}

}  // namespace
}  // namespace plumb
