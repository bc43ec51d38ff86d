// A main() for programs that are nothing but an exploration.
#include <cstdio>
#include <string_view>

#include "explore/stop_signals.hpp"
#include "plumb/explore.hpp"

namespace plumb {

int explore_main(int argc, char** argv, const std::function<void(Program&)>& program,
                 ExploreOptions options) {
  constexpr int kFound = 1;
  constexpr int kWrongArguments = 2;
  constexpr int kUnknown = 3;
  const bool replay = argc == 3 && std::string_view(argv[1]) == "--replay";
  if (argc > 1 && !replay) {
    std::fprintf(stderr, "usage: %s [--replay TOKEN]\n", argv[0]);
    return kWrongArguments;
  }
  if (replay) options.replay = argv[2];
  const engine::StopSignals signals;
  if (options.stop == nullptr) options.stop = engine::StopSignals::flag();
  const Exploration result = explore(program, options);
  std::fputs(result.text().c_str(), stdout);
  if (result.kind == FindingKind::kBadReplay) return kWrongArguments;
  if (result.verdict == Exploration::Verdict::kUnknown) return kUnknown;
  if (result.passed()) return 0;
  if (!result.replay.empty()) std::printf("again: %s --replay %s\n", argv[0], result.replay.c_str());
  return kFound;
}

}  // namespace plumb
