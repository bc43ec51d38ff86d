// A user of the engine: finds a lost update, with the name of the variable and the source
// line, and runs it again.
#include <atomic>
#include <cstdio>

#include <plumb/explore.hpp>

namespace {

std::atomic<int> executions{0};  // a global: it begins anew in each execution

void lost_update(plumb::Program& p) {
  std::atomic<int> count{0};
  for (int i = 0; i < 2; ++i) p.thread([&] { count.store(count.load() + 1); });
  p.check([&] { return count == 2 && ++executions == 1; });
}

}  // namespace

int main() {
  const plumb::Exploration found = plumb::explore(lost_update);
  std::fputs(found.text().c_str(), stdout);
  if (found.kind != plumb::FindingKind::kCheck || found.trace.empty()) return 1;
  const plumb::TraceStep& first = found.trace.front();
  if (first.object != "count" || first.places.empty() || first.places.front().line != 14) return 2;
  const plumb::Exploration again = plumb::explore(lost_update, {.replay = found.replay});
  if (again.kind != found.kind || again.executions != 1) return 3;
  std::puts("consumer: the lost update was found, and found again");
  return 0;
}
