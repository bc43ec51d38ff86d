#include "explore/standstill.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "runtime/end_of_process.hpp"

namespace plumb {

void note_on_standard_error(const std::string& note) {
  const std::string line = "note: " + note + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

namespace engine {
namespace {

constexpr Seconds kForTrace{5};
constexpr int kUnknown = 3;  // the exit status

std::string thread_text(int thread) {
  return thread == 0 ? "the program itself" : fmt::format("thread {}", thread);
}

std::string who(const Execution& execution, const Observer* observer) {
  const int thread = execution.running();
  return observer == nullptr ? thread_text(thread) : observer->who(thread, execution.open_operation(thread));
}

std::string in_call(const runtime::Standstill& standstill) {
  return standstill.system_call.empty() ? "" : fmt::format("in the system call {}", standstill.system_call);
}

std::string place_text(const SourcePlace& place) {
  return fmt::format("{}:{} {}", place.file.substr(place.file.rfind('/') + 1), place.line, place.function);
}

}  // namespace

std::string Observer::who(int thread, std::optional<std::uint32_t>) const { return thread_text(thread); }

std::string standing_text(const Execution& execution, const Observer* observer,
                          const runtime::Standstill& standstill) {
  const std::string call = in_call(standstill);
  std::string text = fmt::format("{} has taken no step for {:.0f} s: it {}", who(execution, observer),
                                 standstill.seconds, call.empty() ? "computes" : "is " + call);
  const auto* last = static_cast<const char*>(execution.last_place(execution.running()));
  if (last == nullptr) return text;
  const auto places =
      DebugInfo::instance().places({{.pc = reinterpret_cast<std::uintptr_t>(last) - 1}}, nullptr);
  return places.empty() ? text : text + "; its last step was at " + place_text(places.front());
}

void tell_interrupted(const Execution& execution, const Observer* observer,
                      const runtime::Standstill& standstill, Exploration& result) {
  const auto places = DebugInfo::instance().places(execution.interrupted_at(), nullptr);
  const std::string call = in_call(standstill);
  result.message = who(execution, observer) + " has not ended";
  if (!call.empty()) result.message += ": it is " + call;
  if (!places.empty())
    result.message += (call.empty() ? ": it is at " : ", at ") + place_text(places.front());
  const int thread = execution.running();
  result.evidence.push_back({fmt::format("thread {} is here", thread), places});
}

runtime::WatchTerms Watch::terms() const {
  runtime::WatchTerms terms;
  if (options_.timeout) {
    const Seconds passed = Time::now() - begin_;
    terms.timeout = std::max(*options_.timeout - passed, Seconds::zero());
  }
  terms.stop = options_.stop;
  if (options_.note) terms.note_after = options_.note_after;
  terms.note = [this](const runtime::Standstill& standstill) { options_.note(text(standstill)); };
  terms.cannot_end = [this](const runtime::Standstill& standstill) {
    const std::string sentence = text(standstill) + ", and cannot be interrupted";
    if (observer_ != nullptr) observer_->cannot_be_ended(sentence);
    note_on_standard_error(sentence + "; the process is ended");
    runtime::end_process(kUnknown);
  };
  return terms;
}

bool Watch::is_nearly_over() const {
  constexpr Seconds kNearly{0.5};
  const auto left = terms().timeout;
  return asked() || (left && *left < kNearly);
}

runtime::WatchTerms Watch::terms_for_trace() const {
  runtime::WatchTerms terms = this->terms();
  if (terms.timeout) terms.timeout = std::max(*terms.timeout, kForTrace);
  return terms;
}

}  // namespace engine
}  // namespace plumb
