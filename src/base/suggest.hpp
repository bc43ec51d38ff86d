// "Did you mean …?": the nearest of the names that would have been right. In a header: the engine's programs have options too, and are
// linked without the rest of the library.
#pragma once

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

// Damerau-Levenshtein with adjacent swaps; case does not count.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

// The candidate with the smallest edit distance to `word`, if one is near enough to be meant.
[[nodiscard]] inline std::optional<std::string> nearest(std::string_view word,
                                                        std::span<const std::string> candidates) {
  constexpr std::size_t kLongestWord = 64;  // nobody mistypes more than this, and the distance is quadratic
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    if (candidate.starts_with(word) || (candidate.size() > 2 && word.starts_with(candidate))) distance = 1;
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

// " (did you mean 'x'?)", or nothing.
[[nodiscard]] inline std::string did_you_mean(std::string_view word,
                                              std::span<const std::string> candidates) {
  const auto best = nearest(word, candidates);
  return best ? " (did you mean '" + *best + "'?)" : std::string();
}

}  // namespace plumb
