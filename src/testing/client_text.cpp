#include "testing/client_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explore/memory_models.hpp"

namespace plumb::testing {
namespace {

class ClientCode {
 public:
  ClientCode(const TestCase& test, const Layout& layout, const std::vector<ClientEdge>& edges,
             const std::vector<std::string>& returned)
      : test_(test), layout_(layout), edges_(edges), returned_(returned) {}

  std::string write(MemoryModel model) {
    code_ = fmt::format("plumb::explore([](plumb::Program& p) {{\n  {} subject;\n", test_.subject());
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (leaves(i)) code_ += fmt::format("  std::atomic<bool> {}{{false}};\n", flag(i));
    }
    write_calls(0, "  ");
    for (std::size_t thread = 1; thread + 1 < layout_.processes(); ++thread) {
      code_ += "  p.thread([&] {\n";
      write_calls(thread, "    ");
      code_ += "  });\n";
    }
    code_ += "  p.run();\n";
    write_calls(layout_.processes() - 1, "  ");
    code_ += fmt::format("}}, {{.memory_model = {}}});", engine::row_of(model).identifier);
    return std::move(code_);
  }

 private:
  [[nodiscard]] bool leaves(std::size_t operation) const {
    return std::ranges::any_of(edges_, [&](const ClientEdge& edge) { return edge.from == operation; });
  }
  // A name for "the second operation of thread 1 has returned".
  [[nodiscard]] std::string flag(std::size_t operation) const {
    const std::size_t process = layout_.process(operation);
    return fmt::format("returned_{}_{}", process, operation - layout_.first(process) + 1);
  }
  void write_calls(std::size_t process, std::string_view indent) {
    for (std::size_t i = 0; i < layout_.count(process); ++i) {
      const std::size_t operation = layout_.first(process) + i;
      for (const ClientEdge& edge : edges_) {
        if (edge.to == operation)
          code_ +=
              fmt::format("{}while (!{}.load(std::memory_order_acquire)) {{}}\n", indent, flag(edge.from));
      }
      code_ += fmt::format("{}subject.{};", indent, test_.label(layout_.invocation(operation)));
      if (!returned_[operation].empty()) code_ += "  // " + returned_[operation];
      code_ += '\n';
      if (leaves(operation))
        code_ += fmt::format("{}{}.store(true, std::memory_order_release);\n", indent, flag(operation));
    }
  }

  const TestCase& test_;
  const Layout& layout_;
  const std::vector<ClientEdge>& edges_;
  const std::vector<std::string>& returned_;
  std::string code_;
};

}  // namespace

std::vector<std::string> client_in_words(const TestCase& test, const Layout& layout,
                                         const std::vector<ClientEdge>& edges) {
  std::vector<std::string> words;
  words.reserve(edges.size());
  for (const ClientEdge& edge : edges)
    words.push_back(fmt::format("thread {} learns that {} of thread {} has returned, then calls {}",
                                layout.process(edge.to), test.label(layout.invocation(edge.from)),
                                layout.process(edge.from), test.label(layout.invocation(edge.to))));
  return words;
}

std::string client_as_code(MemoryModel model, const TestCase& test, const Layout& layout,
                           const std::vector<ClientEdge>& edges, const std::vector<std::string>& returned) {
  return ClientCode(test, layout, edges, returned).write(model);
}

}  // namespace plumb::testing
