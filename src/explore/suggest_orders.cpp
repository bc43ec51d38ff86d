#include "explore/suggest_orders.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {
namespace {

using graph::Event;
using graph::EventKind;
using Rows = std::vector<graph::StrongerOrders::Row>;

// Accesses of one kind at one line.
struct Site {
  std::string file;
  int line = 0;
  AccessKind kind = AccessKind::kLoad;
  std::uint8_t order = 0;  // the weakest that the program has there
  std::vector<const void*> pcs = {};
  std::set<std::uint8_t> orders = {};    // all that it has there
  std::set<std::uint8_t> failures = {};  // and where a compare-exchange fails
};
// A site with another order.
struct Change {
  const Site* site = nullptr;
  std::uint8_t order = 0;
};
using Changes = std::vector<Change>;

constexpr std::uint8_t kSeqCst = graph::kSequentiallyConsistent;

std::span<const std::uint8_t> orders_of(AccessKind kind) {  // the weakest first
  static constexpr std::uint8_t kOfLoads[] = {2, 5};
  static constexpr std::uint8_t kOfStores[] = {3, 5};
  static constexpr std::uint8_t kOfOthers[] = {2, 3, 4, 5};
  if (kind == AccessKind::kLoad) return kOfLoads;
  if (kind == AccessKind::kStore) return kOfStores;
  return kOfOthers;
}

bool is_stronger(std::uint8_t order, std::uint8_t than) {
  if (order == than) return false;
  return (!graph::acquires(than) || graph::acquires(order)) &&
         (!graph::releases(than) || graph::releases(order)) && order > than;
}

std::string_view name_of(AccessKind kind) {
  return kind == AccessKind::kUpdate ? "read-modify-write" : to_string(kind);
}

enum class NewSites : std::uint8_t { kAdded, kLeftOut };

// The sites of the events, added to those that are known. True: some that was known has one more place in the code: it was inlined there.
bool add_sites(const graph::Graph& graph, NewSites new_ones, std::vector<Site>& sites) {
  bool grown = false;
  const auto add = [&](const Event& event) {
    const AccessKind kind = event.kind == EventKind::kRead         ? AccessKind::kLoad
                            : event.kind == EventKind::kWrite      ? AccessKind::kStore
                            : event.kind == EventKind::kUpdateRead ? AccessKind::kUpdate
                                                                   : AccessKind::kFence;
    const auto places =
        DebugInfo::instance().places({{.pc = reinterpret_cast<std::uintptr_t>(event.pc) - 1}}, nullptr);
    if (places.empty()) return;
    const SourcePlace& place = places.front();
    auto found = std::find_if(sites.begin(), sites.end(), [&](const Site& site) {
      return site.file == place.file && site.line == place.line && site.kind == kind;
    });
    if (found == sites.end() && new_ones == NewSites::kLeftOut) return;
    if (found == sites.end())
      found =
          sites.insert(found, {.file = place.file, .line = place.line, .kind = kind, .order = event.order});
    const bool is_known = std::find(found->pcs.begin(), found->pcs.end(), event.pc) != found->pcs.end();
    if (is_known && new_ones == NewSites::kLeftOut) return;  // it has the order that is tried
    found->orders.insert(event.order);
    if (kind == AccessKind::kUpdate && event.update == graph::Update::kCompareExchange)
      found->failures.insert(event.failure_order);
    if (is_known) return;
    found->order = std::min(found->order, event.order);
    found->pcs.push_back(event.pc);
    grown = true;
  };
  for (int thread = 0; thread < graph.thread_count(); ++thread) {
    for (const Event& event : graph.events_of(thread)) {
      const bool has_order = event.kind == EventKind::kFence || event.kind == EventKind::kRead ||
                             event.kind == EventKind::kWrite || event.kind == EventKind::kUpdateRead;
      if (has_order && event.pc != nullptr && event.order != kSeqCst) add(event);
    }
  }
  return grown;
}

class Suggestion {
 public:
  Suggestion(const graph::Graph& failing, const TryOrders& attempt) : attempt_(attempt) {
    add_sites(failing, NewSites::kAdded, sites_);
  }

  SuggestedOrders find() {
    if (sites_.empty()) return {};
    Changes all;
    for (const Site& site : sites_) all.push_back({&site, kSeqCst});
    const Trial::End strongest = attempt(all);
    if (strongest == Trial::End::kFails)
      return {
          "No memory order in this execution helps: with memory_order_seq_cst throughout there is a "
          "finding, too.",
          {}};
    if (strongest == Trial::End::kUnknown) return {};
    Changes enough = single();
    if (enough.empty()) enough = fewest(all);
    return {sentence(enough), as_options(enough)};
  }

 private:
  Trial::End attempt(const Changes& changes) {
    for (;;) {
      Rows rows;
      for (const Change& change : changes) {
        for (const void* pc : change.site->pcs) rows.push_back({pc, change.order});
      }
      const Trial trial = attempt_(rows);
      if (trial.failing == nullptr || !add_sites(*trial.failing, NewSites::kLeftOut, sites_))
        return trial.end;
    }
  }

  // One site alone; the weakest order that is enough.
  Changes single() {
    for (const bool strongest : {false, true}) {
      for (const Site& site : sites_) {
        for (const std::uint8_t order : orders_of(site.kind)) {
          if ((order == kSeqCst) != strongest || !is_stronger(order, site.order)) continue;
          if (attempt({{&site, order}}) == Trial::End::kPasses) return {{&site, order}};
        }
      }
    }
    return {};
  }

  // Leaves out what is not needed, then takes the weakest order of each that is.
  Changes fewest(Changes changes) {
    for (std::size_t i = 0; i < changes.size();) {
      Changes without = changes;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (!without.empty() && attempt(without) == Trial::End::kPasses) {
        changes = without;
      } else {
        ++i;
      }
    }
    for (Change& change : changes) {
      for (const std::uint8_t order : orders_of(change.site->kind)) {
        if (order == kSeqCst || !is_stronger(order, change.site->order)) continue;
        change.order = order;
        if (attempt(changes) == Trial::End::kPasses) break;
        change.order = kSeqCst;
      }
    }
    return changes;
  }

  // What was tried, for each order that the program has there.
  static std::vector<OrderChange> as_options(const Changes& changes) {
    std::vector<OrderChange> options;
    for (const auto& [site, order] : changes) {
      const auto add = [&options, file = site->file, line = site->line](AccessKind kind, std::uint8_t from,
                                                                        std::uint8_t to) {
        if (from != to)
          options.push_back({.file = file,
                             .line = line,
                             .kind = kind,
                             .order = static_cast<std::memory_order>(to),
                             .instead_of = static_cast<std::memory_order>(from)});
      };
      for (const std::uint8_t from : site->orders) add(site->kind, from, order);
      for (const std::uint8_t from : site->failures)
        add(AccessKind::kFailure, from, graph::StrongerOrders::of_failure(order, from));
    }
    return options;
  }

  static std::string sentence(const Changes& changes) {
    std::string text = "Perhaps ";
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const Site& site = *changes[i].site;
      if (i > 0) text += i + 1 == changes.size() ? " and " : ", ";
      text += fmt::format("memory_order_{} instead of {} for the {} at {}:{}",
                          runtime::order_name(changes[i].order), runtime::order_name(site.order),
                          name_of(site.kind), site.file.substr(site.file.rfind('/') + 1), site.line);
    }
    return text + (changes.size() == 1 ? " is enough" : " together are enough") +
           ": tried, nothing is found then. That is a suggestion for this program, not a proof for others.";
  }

  std::vector<Site> sites_;
  const TryOrders& attempt_;
};

}  // namespace

SuggestedOrders suggest_orders(const graph::Graph& failing, const TryOrders& attempt) {
  return Suggestion(failing, attempt).find();
}

}  // namespace plumb::engine
