#include "report/waiting_picture.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/markup.hpp"

namespace plumb {
namespace {

// "thread 1 waits: lock second".
struct Waiter {
  int thread = 0;
  std::string action = {};
  std::string object = {};
};

std::optional<Waiter> waiter_in(std::string_view line) {
  constexpr std::string_view kThread = "thread ";
  constexpr std::string_view kWaits = " waits: ";
  const std::size_t waits = line.find(kWaits);
  if (!line.starts_with(kThread) || waits == std::string_view::npos) return std::nullopt;
  Waiter waiter;
  const std::string_view number = line.substr(kThread.size(), waits - kThread.size());
  if (std::from_chars(number.data(), number.data() + number.size(), waiter.thread).ec != std::errc())
    return std::nullopt;
  std::string_view what = line.substr(waits + kWaits.size());
  what = what.substr(0, what.find(", or until a time"));
  for (const std::string_view action : {"signal of ", "notification of ", "atomic wait ", "leave barrier "}) {
    if (!what.starts_with(action)) continue;
    waiter.action = action.substr(0, action.size() - 1);
    waiter.object = what.substr(action.size());
    return waiter;
  }
  const std::size_t space = what.find(' ');
  waiter.action = what.substr(0, space);
  if (space != std::string_view::npos) waiter.object = what.substr(space + 1);
  if (what.starts_with("end of ")) waiter.object = what;
  return waiter;
}

// The thread that locked it last and has not unlocked it.
std::optional<int> holder_of(const std::vector<DocumentStep>& trace, const std::string& object) {
  std::optional<int> holder;
  for (const DocumentStep& step : trace) {
    if (step.object != object) continue;
    if (step.action == "lock" || step.action == "try-lock") holder = step.thread;
    if (step.action == "unlock") holder.reset();
  }
  return holder;
}

constexpr int kRow = 64;
constexpr int kHigh = 36;
constexpr int kMargin = 10;
constexpr int kThreadWide = 96;
constexpr int kBetween = 120;  // room for the arrows
constexpr int kObjectsAt = kMargin + kThreadWide + kBetween;
constexpr int kLetter = 8;            // wide, in the pictures' font
constexpr std::size_t kLetters = 48;  // of an object's name, at most

// As narrow as the names allow: a phone shows it in letters that can be read.
int width_of(const std::vector<std::string>& objects) {
  std::size_t longest = 8;
  for (const std::string& name : objects) longest = std::max(longest, std::min(name.size(), kLetters));
  return static_cast<int>(longest + 3) * kLetter;
}

std::string box(int x, int row, int width, std::string_view label, std::string_view of) {
  return fmt::format(
      "<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/><text x=\"{}\" "
      "y=\"{}\">{}</text></g>\n",
      of, x, 10 + row * kRow, width, kHigh, x + width / 2, 10 + row * kRow + kHigh / 2 + 5,
      markup_escaped(printable(label)));
}

std::string tip(std::string_view of) {
  return fmt::format(
      "<marker id=\"tip-{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
      "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker>",
      of);
}

}  // namespace

std::string waiting_picture(const Document& document) {
  std::vector<Waiter> waiters;
  for (const DocumentEvidence& each : document.accesses) {
    if (auto waiter = waiter_in(each.what)) waiters.push_back(std::move(*waiter));
  }
  if (waiters.empty()) return "";
  std::vector<int> threads;  // a row each
  std::vector<std::string> objects;
  const auto row_of = [](auto& all, const auto& item) {
    const auto found = std::ranges::find(all, item);
    if (found != all.end()) return static_cast<int>(found - all.begin());
    all.push_back(item);
    return static_cast<int>(all.size()) - 1;
  };
  for (const Waiter& waiter : waiters) row_of(threads, waiter.thread);
  std::string edges;
  const auto middle = [](int row) { return 10 + row * kRow + kHigh / 2; };
  for (const Waiter& waiter : waiters) {
    const int from = row_of(threads, waiter.thread);
    const int to = row_of(objects, waiter.object.empty() ? waiter.action : waiter.object);
    const auto holder = holder_of(document.trace, waiter.object);
    constexpr int kTip = 8;
    edges += fmt::format("<path class=\"waits\" d=\"M{} {} L{} {}\"/>\n", kMargin + kThreadWide,
                         middle(from) - 6, kObjectsAt - kTip, middle(to) - 6);
    if (holder)
      edges += fmt::format("<path class=\"held\" d=\"M{} {} L{} {}\"/>\n", kObjectsAt, middle(to) + 8,
                           kMargin + kThreadWide + kTip, middle(row_of(threads, *holder)) + 8);
  }
  std::string boxes;
  for (std::size_t i = 0; i < threads.size(); ++i)
    boxes += box(kMargin, static_cast<int>(i), kThreadWide, fmt::format("thread {}", threads[i]), "thread");
  for (std::size_t i = 0; i < objects.size(); ++i)
    boxes += box(kObjectsAt, static_cast<int>(i), width_of(objects), end_of(objects[i], kLetters), "object");
  const int rows = static_cast<int>(std::max(threads.size(), objects.size()));
  return fmt::format(
      "<svg class=\"waiting\" viewBox=\"0 0 {3} {0}\" width=\"{3}\" role=\"img\" aria-label=\"who waits for "
      "whom\">\n"
      "<defs>{4}{5}</defs>\n{1}{2}</svg>\n"
      "<p class=\"soft\"><span class=\"waits-key\">——▸</span> waits for &nbsp; <span class=\"held-key\">– "
      "–▸</span> is held by</p>\n",
      rows * kRow + 10, edges, boxes, kObjectsAt + width_of(objects) + kMargin, tip("waits"), tip("held"));
}

}  // namespace plumb
