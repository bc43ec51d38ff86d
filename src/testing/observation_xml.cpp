// The observation file as XML, as in the paper.
#include "testing/observation_file.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json/json_reader.hpp"
#include "report/markup.hpp"

namespace plumb::testing {
namespace {

// Outside of attributes quotes may stand as they are, and read better.
std::string quotes_kept(std::string text) {
  static constexpr std::string_view kQuote = "&quot;";
  for (std::size_t at = text.find(kQuote); at != std::string::npos; at = text.find(kQuote, at))
    text.replace(at, kQuote.size(), 1, '"');
  return text;
}

// "before", "A", "B", …, "after"
std::string process_name(std::size_t process, std::size_t processes) {
  if (process == 0) return "before";
  if (process + 1 == processes) return "after";
  return std::string(1, static_cast<char>('A' + process - 1));
}

class Writer {
 public:
  Writer(const TestCase& test, const Scenario& scenario, const SerialTree& tree)
      : test_(test), tree_(tree), layout_(scenario) {}

  std::string text() {
    for (const SerialHistory& history : histories_of(tree_, layout_)) take(history);
    std::string out = fmt::format("<observationset test=\"{}\">\n<matrix>\n", markup_escaped(test_.name()));
    Seen everything(layout_.size());
    for (auto& each : everything) each = kCalled;
    out += threads_and_operations(everything, false) + "</matrix>\n";
    for (const auto& [seen, histories] : groups_) {
      out += "<observation>\n" + threads_and_operations(seen, true);
      for (const std::string& history : histories) out += "<history>" + history + "</history>\n";
      out += "</observation>\n";
    }
    return out + "</observationset>\n";
  }

 private:
  // What each operation did, in the numbers of the layout: a value's bits, or one of these.
  using Seen = std::vector<std::uint64_t>;
  static constexpr std::uint64_t kNotCalled = ~std::uint64_t{0};
  static constexpr std::uint64_t kBlocks = kNotCalled - 1;
  static constexpr std::uint64_t kCalled = kNotCalled - 2;

  void take(const SerialHistory& history) {
    Seen seen(layout_.size(), kNotCalled);
    std::vector<std::string> events;
    for (std::size_t i = 0; i < history.order.size(); ++i) {
      const std::size_t operation = history.order[i];
      const std::optional<Value>& result = history.results[i];
      seen[operation] = result ? result->bits() : kBlocks;
      if (result) results_[result->bits()] = *result;
      events.push_back(fmt::format("{}[", operation + 1));
      events.push_back(result ? fmt::format("]{}", operation + 1) : "#");
    }
    groups_[seen].push_back(fmt::format("{}", fmt::join(events, " ")));
  }

  std::string threads_and_operations(const Seen& seen, bool with_results) {
    std::string out;
    for (std::size_t process = 0; process < layout_.processes(); ++process) {
      std::vector<std::string> calls;
      for (std::size_t i = layout_.first(process); i < layout_.first(process) + layout_.count(process); ++i) {
        if (seen[i] != kNotCalled) calls.push_back(fmt::format("{}{}", i + 1, seen[i] == kBlocks ? "B" : ""));
      }
      const bool around = process == 0 || process + 1 == layout_.processes();
      if (around && calls.empty()) continue;
      out += fmt::format("<thread id=\"{}\">{}</thread>\n", process_name(process, layout_.processes()),
                         fmt::join(calls, " "));
    }
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (seen[i] != kNotCalled) out += operation(i, seen[i], with_results);
    }
    return out;
  }

  std::string operation(std::size_t i, std::uint64_t seen, bool with_results) {
    const auto& invocation = test_.invocations()[layout_.invocation(i)];
    const auto& operation = test_.operations()[invocation.operation];
    std::vector<std::string> parts;
    std::vector<std::string> args;
    for (const Value arg : invocation.args) args.push_back(test_.values().to_json(arg));
    if (!args.empty()) parts.push_back(fmt::format("value=\"{}\"", fmt::join(args, ", ")));
    if (with_results && seen != kBlocks && (!operation.returns_nothing || !results_[seen].is_null()))
      parts.push_back(fmt::format("result=\"{}\"", test_.values().to_json(results_[seen])));
    return fmt::format("<op id=\"{}\" name=\"{}\">{}</op>\n", i + 1, markup_escaped(operation.name),
                       quotes_kept(markup_escaped(fmt::format("{}", fmt::join(parts, " ")))));
  }

  const TestCase& test_;
  const SerialTree& tree_;
  Layout layout_;
  std::map<Seen, std::vector<std::string>> groups_;
  std::map<std::uint64_t, Value> results_;  // by their bits
};

std::string unescaped(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}}};
  std::string out;
  while (!text.empty()) {
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& each) { return text.starts_with(each.first); });
    out += entity == kEntities.end() ? text.front() : entity->second;
    text.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return out;
}

// Elements one after the other: the name of each tag, its attributes as they stand, and the text up to the next tag.
class Reader {
 public:
  Reader(std::string_view text, const TestCase& test) : text_(text), test_(test) {}

  Result<std::vector<ObservationSet>> sets() {
    std::vector<ObservationSet> all;
    while (next()) {
      if (tag_ != "observationset") return wrong("expected <observationset>");
      const bool ours = unescaped(attribute("test")) == test_.name();
      ObservationSet set;
      if (auto status = read_set(set); !status) return status.error();
      if (ours) all.push_back(std::move(set));
    }
    if (!rest().empty()) return wrong("expected a tag");
    return all;
  }

 private:
  // One matrix or observation: which operations each thread calls, and what they are.
  struct Section {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> threads;
    std::map<std::size_t, std::pair<InvocationId, std::optional<Value>>> operations;
    std::vector<std::string> histories;
  };

  Status read_set(ObservationSet& set) {
    Section matrix;
    if (!next() || tag_ != "matrix") return wrong("expected <matrix>");
    if (auto status = read_section("/matrix", matrix); !status) return status;
    for (const auto& [name, calls] : matrix.threads) {
      auto& list = name == "before"  ? set.scenario.before
                   : name == "after" ? set.scenario.after
                                     : set.scenario.threads.emplace_back();
      for (const std::size_t id : calls) {
        const auto found = matrix.operations.find(id);
        if (found == matrix.operations.end())
          return wrong(fmt::format("operation {} of thread {} is not described", id, name));
        list.push_back(found->second.first);
      }
    }
    if (!can_be_run(set.scenario)) return wrong("expected a matrix with threads, and not too many");
    const Layout layout(set.scenario);
    while (next() && tag_ == "observation") {
      Section section;
      if (auto status = read_section("/observation", section); !status) return status;
      for (const std::string& history : section.histories) {
        if (auto status = read_history(history, section, layout, set); !status) return status;
      }
    }
    return tag_ == "/observationset" ? Status(Ok{}) : Status(wrong("expected </observationset>"));
  }

  Status read_section(std::string_view end, Section& section) {
    while (next() && tag_ != end) {
      const std::string_view content = content_;
      if (tag_ == "thread") {
        auto& thread = section.threads.emplace_back(std::string(attribute("id")), std::vector<std::size_t>());
        for (std::string_view left = content; !left.empty();) {
          const auto id = number(left);
          if (!id) return wrong("expected the numbers of operations");
          thread.second.push_back(*id);
          if (left.starts_with('B')) left.remove_prefix(1);
        }
      } else if (tag_ == "op") {
        if (auto status = read_operation(section); !status) return status;
      } else if (tag_ == "history") {
        section.histories.emplace_back(content);
      } else if (!tag_.starts_with('/')) {
        return wrong("expected <thread>, <op> or <history>");
      }
    }
    return tag_ == end ? Status(Ok{}) : Status(wrong(fmt::format("expected <{}>", end)));
  }

  Status read_operation(Section& section) {
    std::string_view id = attribute("id");
    const auto parsed = number(id);
    if (!parsed) return wrong("expected a number as id");
    const std::string name = unescaped(attribute("name"));
    const std::string inside = unescaped(content_);
    const std::size_t result_at = inside.rfind("result=\"");
    std::string args = inside.substr(0, result_at);
    std::optional<Value> result;
    if (result_at != std::string::npos) {
      auto value = json(inside.substr(result_at + 8, inside.size() - result_at - 9));
      if (!value) return value.error();
      result = test_.values().as_array(*value).front();
    }
    std::vector<Value> values;
    if (const std::size_t at = args.find("value=\""); at != std::string::npos) {
      const std::size_t last = args.rfind('"');
      auto value = json(args.substr(at + 7, last - at - 7));
      if (!value) return value.error();
      const auto items = test_.values().as_array(*value);
      values.assign(items.begin(), items.end());
    }
    if (const auto invocation = find_invocation(test_, name, values)) {
      const auto& operation = test_.operations()[test_.invocations()[*invocation].operation];
      if (!result && operation.returns_nothing) result = kNull;
      section.operations.emplace(*parsed, std::pair(*invocation, result));
      return Ok{};
    }
    return wrong(fmt::format("the test {} has no operation {}({})", test_.name(), name, args));
  }

  Status read_history(std::string_view text, const Section& section, const Layout& layout,
                      ObservationSet& set) {
    SerialHistory history;
    while (!text.empty()) {
      if (text == "#") {
        if (history.results.empty()) return wrong("expected an operation before #");
        history.results.back() = std::nullopt;
        break;
      }
      const auto id = number(text);
      const auto found = id ? section.operations.find(*id) : section.operations.end();
      if (found == section.operations.end() || *id == 0 || *id > layout.size() || !text.starts_with('['))
        return wrong("expected calls and returns: 1[ ]1");
      text.remove_prefix(1);
      while (text.starts_with(' ')) text.remove_prefix(1);
      history.order.push_back(*id - 1);
      history.results.push_back(found->second.second);
      if (text.starts_with(']')) {
        text.remove_prefix(1);
        if (number(text) != id) return wrong("expected the return of the same operation");
        if (!history.results.back())
          return wrong(fmt::format("operation {} returns, but has no result", *id));
      }
    }
    set.histories.push_back(std::move(history));
    return Ok{};
  }

  // Several values with commas between them, as an array.
  Result<Value> json(const std::string& text) {
    const std::string document = fmt::format("{{\"values\":[{}]}}", text);
    JsonReader reader(document);
    Value value;
    Status status = Ok{};
    if (auto has = reader.next(); !has || !*has)
      return wrong(fmt::format("expected values as JSON, found {}", text));
    status = reader.members([&](std::string_view, JsonValue content) -> Status {
      auto made = reader.value(content, &test_.values());
      if (!made) return made.error();
      value = *made;
      return Ok{};
    });
    if (!status) return wrong(fmt::format("expected values as JSON, found {}", text));
    return value;
  }

  static std::optional<std::size_t> number(std::string_view& text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    std::size_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return value;
  }

  [[nodiscard]] std::string_view rest() const {
    std::string_view left = text_.substr(at_);
    while (!left.empty() && std::isspace(static_cast<unsigned char>(left.front())) != 0)
      left.remove_prefix(1);
    return left;
  }
  bool next() {
    const std::string_view left = rest();
    at_ = begin_ = text_.size() - left.size();
    if (!left.starts_with('<')) return false;
    const std::size_t close = left.find('>');
    if (close == std::string_view::npos) return false;
    const std::string_view inside = left.substr(1, close - 1);
    tag_ = inside.substr(0, inside.find(' '));
    attributes_ = inside.substr(tag_.size());
    const std::size_t content_end = std::min(left.find('<', close), left.size());
    content_ = left.substr(close + 1, content_end - close - 1);
    while (!content_.empty() && std::isspace(static_cast<unsigned char>(content_.back())) != 0)
      content_.remove_suffix(1);
    at_ += tag_.starts_with('/') || content_.empty() ? close + 1 : content_end;
    return true;
  }
  [[nodiscard]] std::string_view attribute(std::string_view name) const {
    const std::string key = fmt::format(" {}=\"", name);
    const std::size_t at = attributes_.find(key);
    if (at == std::string_view::npos) return {};
    const std::string_view value = attributes_.substr(at + key.size());
    return value.substr(0, value.find('"'));
  }

  [[nodiscard]] Error wrong(const std::string& what) const {
    const std::string_view before = text_.substr(0, begin_);
    const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
    const std::size_t newline = before.rfind('\n');
    const auto column =
        static_cast<std::uint32_t>(newline == std::string_view::npos ? begin_ + 1 : begin_ - newline);
    return {.message = what, .place = {line, column}};
  }

  std::string_view text_;
  const TestCase& test_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the tag
  std::string_view tag_;
  std::string_view attributes_;
  std::string_view content_;
};

}  // namespace

std::string write_xml_observations(const TestCase& test, const Scenario& scenario, const SerialTree& tree) {
  return Writer(test, scenario, tree).text();
}

Result<std::vector<ObservationSet>> read_xml_observations(std::string_view text, const TestCase& test) {
  return Reader(text, test).sets();
}

}  // namespace plumb::testing
