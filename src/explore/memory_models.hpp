// The memory models as options name them: the rows of explore/graph/memory_models.def, and two of them one
// after the other.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/explore.hpp>

#include "base/fixed_text.hpp"

namespace plumb::engine {

struct MemoryModelRow {
  MemoryModel model;
  std::string_view word;
  std::string_view what;
  std::string_view token;       // how a token of its executions begins
  std::string_view identifier;  // in C++
};

// Beside sequential consistency, a test runs under this one by default.
inline constexpr MemoryModel kDefaultWeakModel = MemoryModel::kRc11;

inline constexpr std::array kMemoryModels = {
#define PLUMB_MEMORY_MODEL(name, word, maker, what, token) \
  MemoryModelRow{MemoryModel::name, word, what, token, "plumb::MemoryModel::" #name},
#include "explore/graph/memory_models.def"
#undef PLUMB_MEMORY_MODEL
};

// Of the enumeration's values, which are all in the table.
[[nodiscard]] constexpr const MemoryModelRow& row_of(MemoryModel model) {
  const MemoryModelRow* found = kMemoryModels.data();
  while (found->model != model) ++found;
  return *found;
}
[[nodiscard]] constexpr std::string_view word_of(MemoryModel model) { return row_of(model).word; }

inline constexpr std::string_view kBoth = "both";
inline constexpr std::array kModelsOfBoth = {MemoryModel::kSequential, kDefaultWeakModel};

// "sc: sequential consistency; rc11: the C++ memory model; both: sc, then rc11"
inline constexpr FixedText kMemoryModelHelp = [] {
  FixedText text;
  for (const MemoryModelRow& row : kMemoryModels) {
    text.append(row.word);
    text.append(": ");
    text.append(row.what);
    text.append("; ");
  }
  text.append(kBoth);
  for (const MemoryModel model : kModelsOfBoth) {
    text.append(model == kModelsOfBoth.front() ? ": " : ", then ");
    text.append(word_of(model));
  }
  return text;
}();

// What --memory-model takes: the words of the rows, then "both".
inline std::vector<std::string> memory_model_words() {
  std::vector<std::string> words;
  words.reserve(kMemoryModels.size() + 1);
  for (const MemoryModelRow& row : kMemoryModels) words.emplace_back(row.word);
  words.emplace_back(kBoth);
  return words;
}

}  // namespace plumb::engine
