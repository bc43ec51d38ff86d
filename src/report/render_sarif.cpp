// Documents as SARIF 2.1.0 (OASIS), which code hosts and editors read. An interleaving is what its code flows are made for: one
// thread flow per thread, with the order in which the steps of all threads were executed.
#include <map>
#include <vector>

#include <fmt/format.h>

#include <plumb/version.hpp>

#include "json/json_writer.hpp"
#include "report/places.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

// A path as a URI: what has a meaning there, or none, is escaped.
std::string uri_of(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const unsigned char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view("/._-~+@").find(static_cast<char>(c)) != std::string_view::npos;
    out += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return out;
}

class Sarif {
 public:
  explicit Sarif(std::string_view root) : root_(root) {}

  std::string write(std::span<const Document> documents) {
    std::vector<const Document*> findings;
    std::map<std::string, std::size_t> rules;  // by kind
    for (const Document& document : documents) {
      if (rule_of(document).empty()) continue;
      findings.push_back(&document);
      rules.emplace(rule_of(document), 0);
    }
    std::size_t number = 0;
    for (auto& [kind, index] : rules) index = number++;
    json_.object([&] {
      json_.member("$schema", kSchema);
      json_.member("version", "2.1.0");
      json_.key("runs").array(std::vector{0}, [&](int) { json_.object([&] { run(findings, rules); }); });
    });
    return json_.take() + "\n";
  }

 private:
  static std::string rule_of(const Document& document) {
    if (document.verdict == "violation") return document.kind.empty() ? "violation" : document.kind;
    return document.verdict == "unknown" || document.verdict == "error" ? document.verdict : "";
  }

  void run(const std::vector<const Document*>& findings, const std::map<std::string, std::size_t>& rules) {
    json_.key("tool").object([&] {
      json_.key("driver").object([&] {
        json_.member("name", "plumb");
        json_.member("version", kVersion);
        json_.key("rules").array(rules, [&](const auto& rule) {
          json_.object([&] {
            json_.member("id", rule.first);
            text("shortDescription", "plumb: " + rule.first);
          });
        });
      });
    });
    json_.key("results").array(findings, [&](const Document* each) {
      json_.object([&] { result(*each, rules.at(rule_of(*each))); });
    });
    json_.member("columnKind", "unicodeCodePoints");
  }

  void result(const Document& document, std::size_t rule) {
    json_.member("ruleId", rule_of(document));
    json_.member("ruleIndex", rule);
    json_.member("level", document.verdict == "unknown" ? "warning" : "error");
    std::string message =
        document.name + ": " + (document.summary.empty() ? rule_of(document) : document.summary);
    for (const std::string& line : document.evidence) message += "\n" + line;
    for (const DocumentCommand& command : document.commands)
      message += fmt::format("\n{}: {}", command.label, command.line);
    text("message", message);
    if (const DocumentPlace* place = document.where()) {
      json_.key("locations").array(std::vector{place}, [&](const DocumentPlace* at) {
        json_.object([&] { location(*at); });
      });
    }
    if (!document.accesses.empty()) related(document);
    if (!document.trace.empty()) code_flow(document);
    json_.key("partialFingerprints").object([&] {
      json_.member("test/v1", document.name + "/" + rule_of(document));
    });
  }

  void related(const Document& document) {
    json_.key("relatedLocations").array(document.accesses, [&](const DocumentEvidence& each) {
      json_.object([&] {
        if (!each.places.empty()) location(each.places.front());
        text("message", each.what);
      });
    });
  }

  void code_flow(const Document& document) {
    std::map<int, std::vector<std::size_t>> threads;
    for (std::size_t i = 0; i < document.trace.size(); ++i) threads[document.trace[i].thread].push_back(i);
    json_.key("codeFlows").array(std::vector{0}, [&](int) {
      json_.object([&] {
        text("message", "the interleaving, a flow per thread");
        json_.key("threadFlows").array(threads, [&](const auto& thread) {
          json_.object([&] {
            json_.member(
                "id", thread.first == 0 ? std::string("the test") : fmt::format("thread {}", thread.first));
            json_.key("locations").array(thread.second, [&](std::size_t i) {
              json_.object([&] { step(document.trace[i], i); });
            });
          });
        });
      });
    });
  }

  void step(const DocumentStep& step, std::size_t number) {
    json_.key("location").object([&] {
      if (!step.places.empty()) location(step.places.front());
      text("message", step.what);
    });
    if (!step.action.empty()) json_.key("kinds").array(std::vector{step.action});
    if (!step.object.empty() && !step.seen.empty()) {
      json_.key("state").object([&] {
        json_.key(step.object).object([&] {
          json_.member("text", step.left.empty() ? step.seen : fmt::format("{} -> {}", step.seen, step.left));
        });
      });
    }
    json_.member("executionOrder", number + 1);
    json_.member("importance", step.action == "call" || step.action == "return" ? "essential" : "important");
  }

  void location(const DocumentPlace& place) {
    const std::string file = relative_to(root_, place.file);
    json_.key("physicalLocation").object([&] {
      json_.key("artifactLocation").object([&] { json_.member("uri", uri_of(file)); });
      if (place.line > 0) json_.key("region").object([&] { json_.member("startLine", place.line); });
    });
    if (place.function.empty()) return;
    json_.key("logicalLocations").array(std::vector{&place}, [&](const DocumentPlace* at) {
      json_.object([&] { json_.member("fullyQualifiedName", at->function); });
    });
  }

  void text(std::string_view name, const std::string& content) {
    json_.key(name).object([&] { json_.member("text", content); });
  }

  std::string_view root_;
  JsonWriter json_;
};

}  // namespace

std::string render_sarif(std::span<const Document> documents, std::string_view root) {
  return Sarif(root).write(documents);
}

}  // namespace plumb
