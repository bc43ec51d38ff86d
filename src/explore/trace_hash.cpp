#include "explore/trace_hash.hpp"

#include <unordered_map>

namespace plumb::engine {
namespace {

struct Object {
  std::uint64_t changes = 0;  // hash of the steps that may have changed it, in order
  std::uint64_t reads = 0;    // sum over the reads since the last of them
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = (a ^ (b + 0x9E37'79B9'7F4A'7C15ULL + (a << 6U) + (a >> 2U))) * 0xBF58'476D'1CE4'E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBULL;
  return z ^ (z >> 31U);
}

}  // namespace

std::uint64_t trace_hash(const std::vector<Event>& events) {
  std::unordered_map<std::uintptr_t, Object> objects;
  std::array<std::uint64_t, kMaxThreads> position{};
  std::uint64_t sum = 0;
  std::uint64_t calls = 0;  // sums: calls commute, and so do returns
  std::uint64_t returns = 0;
  for (const Event& event : events) {
    const runtime::Step& step = event.step;
    const auto self =
        mix(static_cast<std::uint64_t>(event.thread), position[static_cast<std::size_t>(event.thread)]++);
    std::uint64_t described = mix(self, static_cast<std::uint64_t>(step.kind));
    // As the scheduler sees it: whether a compare-exchange of more than eight bytes would fail is not looked up beforehand.
    const bool looked_up =
        step.kind == runtime::StepKind::kCompareExchange && step.size <= sizeof(step.operand);
    const bool writes = looked_up ? event.wrote : step.writes;
    const auto touch = [&](const void* address) {
      if (address == nullptr) return;
      Object& object = objects[reinterpret_cast<std::uintptr_t>(address)];
      described = mix(described, object.changes);
      if (writes) {
        described = mix(described, object.reads);
        object = {.changes = mix(mix(object.changes, object.reads), self), .reads = 0};
      } else {
        object.reads += mix(self, 1);
      }
    };
    if (step.kind == runtime::StepKind::kCall) {
      described = mix(described, returns);
      calls += mix(self, 1);
    } else if (step.kind == runtime::StepKind::kReturn) {
      described = mix(described, calls);
      returns += mix(self, 1);
    }
    touch(step.address);
    touch(step.also);
    sum += described;
  }
  return sum;
}

}  // namespace plumb::engine
