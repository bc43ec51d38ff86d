#include "testing/spurious_failures.hpp"

namespace plumb::testing {
namespace {

constexpr std::uint64_t bit_of(std::size_t operation) { return std::uint64_t{1} << operation; }

}  // namespace

SpuriousFailures::SpuriousFailures(const TestCase& test, const Layout& layout) : results_(layout.size()) {
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const auto& may_fail = test.operations()[test.invocations()[layout.invocation(i)].operation].may_fail;
    if (!may_fail) continue;
    results_[i] = may_fail->result;
    all_ |= bit_of(i);
    if (may_fail->only_contended) contended_ |= bit_of(i);
  }
}

MayBeLeftOut SpuriousFailures::of(const ObservedHistory& observed) const {
  std::uint64_t failed = 0;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i] && observed.returned(i) && observed.result(i) == *results_[i]) failed |= bit_of(i);
  }
  return {.always = failed & ~contended_, .if_contended = failed & contended_};
}

std::uint64_t SpuriousFailures::permitted(const ObservedHistory& observed) const {
  const MayBeLeftOut failed = of(observed);
  return failed.always | (failed.if_contended & contended(observed));
}

std::uint64_t SpuriousFailures::uncontended(const ObservedHistory& observed) const {
  return of(observed).if_contended & ~contended(observed);
}

std::uint64_t SpuriousFailures::contended(const ObservedHistory& observed) {
  std::uint64_t open = 0;
  std::uint64_t contended = 0;
  for (const Event event : observed.events()) {
    const std::uint64_t it = bit_of(event.operation());
    if (event.is_return()) {
      open &= ~it;
    } else {
      if (open != 0) contended |= open | it;
      open |= it;
    }
  }
  return contended;
}

}  // namespace plumb::testing
