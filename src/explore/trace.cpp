#include "explore/trace.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "explore/namer.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {
namespace {

using runtime::StepKind;

std::uintptr_t address_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

std::vector<SourcePlace> places_of(const Moment& moment) {
  return DebugInfo::instance().places(moment.stack, moment.event.step.pc);
}

bool is_memory(const Moment& moment) {
  return moment.kind == Moment::Kind::kAllocate || moment.kind == Moment::Kind::kFree;
}

bool touches(const Moment& moment, const Finding& finding) {
  return runtime::touch(moment.event.step.address,
                        static_cast<unsigned>(std::max<std::size_t>(moment.bytes, 1)), finding.address,
                        static_cast<unsigned>(std::max<std::size_t>(finding.size, 1)));
}

// The blocks that steps touch, or pass on, or that the finding is about: of these the trace shows the life.
class BlocksOfInterest {
 public:
  BlocksOfInterest(const std::vector<Moment>& moments, const Finding& finding) {
    add(finding.address);
    for (const Moment& moment : moments) {
      if (is_memory(moment)) continue;
      add(moment.event.step.address);
      add(moment.event.step.also);
      if (moment.event.step.kind >= StepKind::kFence) continue;
      add(reinterpret_cast<const void*>(moment.event.before));
      add(reinterpret_cast<const void*>(moment.event.after));
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

std::string what_happened(const Moment& moment) {
  switch (moment.kind) {
    case Moment::Kind::kRead:
      return "read";
    case Moment::Kind::kWrite:
      return "write";
    case Moment::Kind::kAllocate:
      return "allocate";
    case Moment::Kind::kFree:
      return "free";
    case Moment::Kind::kStep:
      break;
  }
  return runtime::kind_name(moment.event.step.kind);
}

TraceStep make_step(const Moment& moment, Namer& namer) {
  const Event& event = moment.event;
  const bool step = moment.kind == Moment::Kind::kStep;
  const bool fence = step && event.step.kind == StepKind::kFence;
  const bool atomic = step && event.step.kind < StepKind::kFence;
  const auto depth = is_memory(moment) ? DebugInfo::Depth::kWhole : DebugInfo::Depth::kInnermost;
  TraceStep result{.thread = event.thread,
                   .what = what_happened(moment),
                   .object = namer.object(address_of(event.step.address), moment.owners[0], depth),
                   .order = atomic || fence ? runtime::order_name(event.step.order) : "",
                   .before = event.before,
                   .after = event.after,
                   .atomic = atomic,
                   .changed = event.wrote,
                   .seen = {},
                   .left = {},
                   .places = places_of(moment)};
  if (!atomic) return result;
  result.seen = namer.value(event.before, event.step.size, moment.owners[1]);
  result.left = namer.value(event.after, event.step.size, moment.owners[2]);
  return result;
}

// What the thread did that was found.
std::string last_act(const Finding& finding, const std::vector<Moment>& moments, const std::string& object) {
  using runtime::Failure;
  if (finding.failure == Failure::kDoubleFree) return fmt::format("frees {} again", object);
  if (finding.failure != Failure::kRace && finding.failure != Failure::kUseAfterFree) return "stands here";
  if (moments.empty()) return "touches " + object;
  if (moments.back().kind == Moment::Kind::kFree) return "frees " + object;
  return (moments.back().event.wrote ? "writes " : "reads ") + object;
}

// The last moment of which `is` is true, as evidence.
template <class F>
void add_last(std::vector<Evidence>& evidence, const std::vector<Moment>& moments, std::string_view what,
              F is) {
  const auto found = std::find_if(moments.rbegin(), moments.rend(), is);
  if (found == moments.rend()) return;
  evidence.push_back({fmt::format("thread {} {}", found->event.thread, what), places_of(*found)});
}

// "lock second", "signal of changed"
std::string awaited(const runtime::Step& step, int thread, const Recorder& recorder, Namer& namer) {
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

void add_waiters(std::vector<Evidence>& evidence, const Recorder& recorder, Namer& namer) {
  for (int thread = 0; thread < runtime::kMaxThreads; ++thread) {
    const runtime::Step* step = recorder.waits_at(thread);
    if (step == nullptr || (thread == 0 && step->address == nullptr)) continue;  // the program waits for all
    evidence.push_back({fmt::format("thread {} waits: {}", thread, awaited(*step, thread, recorder, namer)),
                        DebugInfo::instance().places(recorder.stack(thread), step->pc)});
  }
}

// A step that a thread came to, of which nothing is known but its place.
Evidence arrival(std::string_view when, const Arrival& arrival, const Recorder& recorder, Namer& namer) {
  if (arrival.ended) return {fmt::format("{}: thread {} ends", when, arrival.thread), {}};
  const std::uintptr_t object = address_of(arrival.address);
  std::string what = fmt::format("{}: thread {} {}", when, arrival.thread, runtime::kind_name(arrival.kind));
  if (object != 0) what += " " + namer.object(object, recorder.owner(object));
  return {what, DebugInfo::instance().places({{.pc = address_of(arrival.pc) - 1}}, nullptr)};
}

}  // namespace

std::vector<TraceStep> make_trace(const std::vector<Moment>& moments, const std::vector<Name>& names,
                                  const Finding& finding) {
  Namer namer(names);
  const BlocksOfInterest blocks(moments, finding);
  std::vector<TraceStep> trace;
  for (const Moment& moment : moments) {
    if (is_memory(moment) && !blocks.contains(moment.event.step.address)) continue;
    trace.push_back(make_step(moment, namer));
  }
  return trace;
}

FindingKind kind_of(runtime::Failure failure) {
  using runtime::Failure;
  static_assert(static_cast<int>(Failure::kNondeterministic) + 1 ==
                static_cast<int>(FindingKind::kNondeterministic));
  if (failure == Failure::kRefused) return FindingKind::kMisuse;
  return static_cast<FindingKind>(static_cast<int>(failure) + 1);
}

std::vector<Evidence> make_evidence(const Recorder& recorder, const std::vector<Name>& names,
                                    const Finding& finding) {
  using runtime::Failure;
  Namer namer(names);
  const std::string object =
      finding.address == nullptr
          ? "it"
          : namer.object(address_of(finding.address), recorder.owner(address_of(finding.address)));
  const std::vector<Moment>& moments = recorder.moments();
  std::vector<Evidence> evidence;
  if (finding.failure == Failure::kStuck || finding.judged) {
    add_waiters(evidence, recorder, namer);
    return evidence;
  }
  if (finding.difference.found) {
    return {arrival("before", finding.difference.before, recorder, namer),
            arrival("now", finding.difference.now, recorder, namer)};
  }
  if (finding.failure != Failure::kLeak) {
    const bool threw = finding.failure == Failure::kException;
    evidence.push_back(
        {fmt::format("thread {} {}", finding.thread, threw ? "threw" : last_act(finding, moments, object)),
         threw ? DebugInfo::instance().places(recorder.thrown(finding.thread), nullptr)
               : DebugInfo::instance().places(recorder.stack(finding.thread), finding.pc)});
  }
  const auto about = [&](const Moment& moment) { return touches(moment, finding); };
  if (finding.race.found) {
    add_last(evidence, moments, (finding.race.other_write ? "wrote " : "read ") + object,
             [&](const Moment& moment) {
               return !is_memory(moment) && moment.event.thread == finding.race.other && about(moment) &&
                      moment.event.wrote == finding.race.other_write;
             });
  }
  if (finding.failure == Failure::kUseAfterFree || finding.failure == Failure::kDoubleFree ||
      finding.failure == Failure::kLeak) {
    if (!finding.race.found)
      add_last(evidence, moments, "freed " + object,
               [&](const Moment& moment) { return moment.kind == Moment::Kind::kFree && about(moment); });
    add_last(evidence, moments, "allocated " + object,
             [&](const Moment& moment) { return moment.kind == Moment::Kind::kAllocate && about(moment); });
  }
  return evidence;
}

}  // namespace plumb::engine
