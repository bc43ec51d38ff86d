#include "explore/trace.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "explore/namer.hpp"
#include "explore/weak_note.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {
namespace {

using runtime::StepKind;

std::uintptr_t address_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

std::vector<SourcePlace> places_of(const TraceEntry& entry) {
  return DebugInfo::instance().places(entry.stack, entry.executed.step.pc);
}

bool is_memory(const TraceEntry& entry) {
  return entry.kind == TraceEntry::Kind::kAllocate || entry.kind == TraceEntry::Kind::kFree;
}

bool touches(const TraceEntry& entry, const Finding& finding) {
  return runtime::touch(entry.executed.step.address,
                        static_cast<unsigned>(std::max<std::size_t>(entry.bytes, 1)), finding.address,
                        static_cast<unsigned>(std::max<std::size_t>(finding.size, 1)));
}

// The blocks that steps touch, or pass on, or that the finding is about: of these the trace shows the life.
class BlocksOfInterest {
 public:
  BlocksOfInterest(const std::vector<TraceEntry>& entries, const Finding& finding) {
    add(finding.address);
    for (const TraceEntry& entry : entries) {
      if (is_memory(entry)) continue;
      add(entry.executed.step.address);
      add(entry.executed.step.also);
      if (!runtime::is_atomic(entry.executed.step.kind)) continue;
      add(reinterpret_cast<const void*>(entry.executed.before));
      add(reinterpret_cast<const void*>(entry.executed.after));
    }
  }
  bool contains(const void* address) const {
    const auto place = runtime::Arena::instance().place(address);
    return std::find(blocks_.begin(), blocks_.end(), std::pair{place.thread, place.block}) != blocks_.end();
  }

 private:
  void add(const void* address) {
    const auto place = runtime::Arena::instance().place(address);
    if (place.known && !contains(address)) blocks_.emplace_back(place.thread, place.block);
  }
  std::vector<std::pair<int, std::uint32_t>> blocks_;
};

std::string what_happened(const TraceEntry& entry) {
  switch (entry.kind) {
    case TraceEntry::Kind::kRead:
      return "read";
    case TraceEntry::Kind::kWrite:
      return "write";
    case TraceEntry::Kind::kAllocate:
      return "allocate";
    case TraceEntry::Kind::kFree:
      return "free";
    case TraceEntry::Kind::kStep:
      break;
  }
  return runtime::kind_name(entry.executed.step.kind);
}

TraceStep make_step(const TraceEntry& entry, Namer& namer) {
  const ExecutedStep& executed = entry.executed;
  const bool step = entry.kind == TraceEntry::Kind::kStep;
  const bool fence = step && executed.step.kind == StepKind::kFence;
  const bool atomic = step && runtime::is_atomic(executed.step.kind);
  const auto depth = is_memory(entry) ? DebugInfo::Depth::kWhole : DebugInfo::Depth::kInnermost;
  TraceStep result{.thread = executed.thread,
                   .what = what_happened(entry),
                   .object = namer.object(address_of(executed.step.address), entry.owners[0], depth),
                   .order = atomic || fence ? runtime::order_name(executed.step.order) : "",
                   .before = executed.before,
                   .after = executed.after,
                   .atomic = atomic,
                   .changed = executed.wrote,
                   .seen = {},
                   .left = {},
                   .places = places_of(entry)};
  if (fence) result.note = weak_note(entry.read, 0, namer);
  if (!atomic) return result;
  result.seen = namer.value(executed.before, executed.step.size, entry.owners[1]);
  result.left = namer.value(executed.after, executed.step.size, entry.owners[2]);
  result.note = weak_note(entry.read, executed.step.size, namer);
  return result;
}

// What the thread did that was found.
std::string last_act(const Finding& finding, const std::vector<TraceEntry>& entries,
                     const std::string& object) {
  if (finding.kind == FindingKind::kDoubleFree) return fmt::format("frees {} again", object);
  if (finding.kind != FindingKind::kRace && finding.kind != FindingKind::kUseAfterFree) return "is here";
  if (entries.empty()) return "touches " + object;
  if (entries.back().kind == TraceEntry::Kind::kFree) return "frees " + object;
  return (entries.back().executed.wrote ? "writes " : "reads ") + object;
}

// The last entry of which `is` is true, as evidence.
template <class F>
void add_last(std::vector<Evidence>& evidence, const std::vector<TraceEntry>& entries, std::string_view what,
              F is) {
  const auto found = std::find_if(entries.rbegin(), entries.rend(), is);
  if (found == entries.rend()) return;
  evidence.push_back({fmt::format("thread {} {}", found->executed.thread, what), places_of(*found)});
}

// "lock second", "signal of changed"
std::string awaited(const runtime::Step& step, int thread, const TraceRecorder& recorder, Namer& namer) {
  const auto name = [&](const void* object) {
    return namer.object(address_of(object), recorder.owner(address_of(object)));
  };
  const std::string_view until = step.timed ? ", or until a time" : "";
  if (step.kind == StepKind::kWake && runtime::waits(thread))
    return fmt::format("signal of {}{}", name(step.address), until);
  if (step.kind == StepKind::kWake) return fmt::format("lock {}", name(step.also));
  if (step.kind == StepKind::kJoin || step.kind == StepKind::kTryJoin)
    return fmt::format("end of thread {}{}", step.operand, until);
  return fmt::format("{} {}{}", runtime::kind_name(step.kind), name(step.address), until);
}

void add_waiters(std::vector<Evidence>& evidence, const TraceRecorder& recorder, Namer& namer) {
  for (int thread = 0; thread < runtime::kMaxThreads; ++thread) {
    const runtime::Step* step = recorder.waits_at(thread);
    if (step == nullptr || (thread == 0 && step->address == nullptr)) continue;  // the program waits for all
    evidence.push_back({fmt::format("thread {} waits: {}", thread, awaited(*step, thread, recorder, namer)),
                        DebugInfo::instance().places(recorder.stack(thread), step->pc)});
  }
}

// A step that a thread came to, of which nothing is known but its place.
Evidence logged_evidence(std::string_view when, const LoggedStep& logged, const TraceRecorder& recorder,
                         Namer& namer) {
  if (logged.ended) return {fmt::format("{}: thread {} ends", when, logged.thread), {}};
  const std::uintptr_t object = address_of(logged.address);
  std::string what = fmt::format("{}: thread {} {}", when, logged.thread, runtime::kind_name(logged.kind));
  if (object != 0) what += " " + namer.object(object, recorder.owner(object));
  return {what, DebugInfo::instance().places({{.pc = address_of(logged.pc) - 1}}, nullptr)};
}

}  // namespace

std::vector<TraceStep> make_trace(const std::vector<TraceEntry>& entries, const std::vector<Name>& names,
                                  const Finding& finding) {
  Namer namer(names);
  const BlocksOfInterest blocks(entries, finding);
  std::vector<TraceStep> trace;
  std::map<std::pair<int, int>, std::size_t> made;  // events of the graph, with the steps that made them
  const auto number_of = [&](const WeakRead::Access& access) {
    const auto known = made.find({access.thread, access.event});
    return known == made.end() ? 0 : known->second;
  };
  for (const TraceEntry& entry : entries) {
    if (is_memory(entry) && !blocks.contains(entry.executed.step.address)) continue;
    TraceStep& step = trace.emplace_back(make_step(entry, namer));
    step.number = trace.size();
    if (entry.read.made >= 0) made.emplace(std::pair{step.thread, entry.read.made}, step.number);
    step.read_from = number_of(entry.read.source);
    step.newer = number_of(entry.read.newer);
    for (const WeakRead::Access& each : entry.read.synchronises_with) {
      if (const std::size_t number = number_of(each); number != 0) step.synchronises_with.push_back(number);
    }
  }
  return trace;
}

std::vector<Evidence> make_evidence(const TraceRecorder& recorder, const std::vector<Name>& names,
                                    const Finding& finding) {
  Namer namer(names);
  const std::string object =
      finding.address == nullptr
          ? "it"
          : namer.object(address_of(finding.address), recorder.owner(address_of(finding.address)));
  const std::vector<TraceEntry>& entries = recorder.entries();
  std::vector<Evidence> evidence;
  if (finding.kind == FindingKind::kDeadlock || finding.judged) {
    add_waiters(evidence, recorder, namer);
    return evidence;
  }
  if (finding.difference.found) {
    return {logged_evidence("before", finding.difference.before, recorder, namer),
            logged_evidence("now", finding.difference.now, recorder, namer)};
  }
  if (finding.kind != FindingKind::kLeak) {
    const bool threw = finding.kind == FindingKind::kException;
    evidence.push_back(
        {fmt::format("thread {} {}", finding.thread, threw ? "threw" : last_act(finding, entries, object)),
         threw ? DebugInfo::instance().places(recorder.thrown(finding.thread), nullptr)
               : DebugInfo::instance().places(recorder.stack(finding.thread), finding.pc)});
  }
  const auto about = [&](const TraceEntry& entry) { return touches(entry, finding); };
  if (finding.race.found) {
    add_last(evidence, entries, (finding.race.other_write ? "wrote " : "read ") + object,
             [&](const TraceEntry& entry) {
               return !is_memory(entry) && entry.executed.thread == finding.race.other && about(entry) &&
                      entry.executed.wrote == finding.race.other_write;
             });
  }
  if (finding.kind == FindingKind::kUseAfterFree || finding.kind == FindingKind::kDoubleFree ||
      finding.kind == FindingKind::kLeak) {
    if (!finding.race.found)
      add_last(evidence, entries, "freed " + object, [&](const TraceEntry& entry) {
        return entry.kind == TraceEntry::Kind::kFree && about(entry);
      });
    add_last(evidence, entries, "allocated " + object, [&](const TraceEntry& entry) {
      return entry.kind == TraceEntry::Kind::kAllocate && about(entry);
    });
  }
  return evidence;
}

}  // namespace plumb::engine
