// How fast a file becomes a history: bench_read FILE [RUNS]. One line a run: milliseconds by the clock,
// milliseconds of processor time, operations, bytes that the histories take, and the milliseconds of one pass
// over as many bytes of memory: nothing that looks at a history can be faster.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plumb/files.hpp>

namespace {

double pass_over_memory(std::size_t bytes) {
  const std::vector<std::uint64_t> memory(bytes / sizeof(std::uint64_t), 1);
  const auto start = std::chrono::steady_clock::now();
  const volatile std::uint64_t sum = std::accumulate(memory.begin(), memory.end(), std::uint64_t{0});
  (void)sum;
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_read FILE [RUNS]\n");
    return 2;
  }
  const int runs = argc > 2 ? std::atoi(argv[2]) : 1;
  for (int run = 0; run < runs; ++run) {
    std::size_t bytes = 0;
    {
      const auto start = std::chrono::steady_clock::now();
      const std::clock_t processor_start = std::clock();
      const auto histories = plumb::read_histories(argv[1]);
      const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
      const double processor = 1e3 * static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
      if (!histories) {
        fmt::print(stderr, "{}\n", histories.error().text());
        return 2;
      }
      std::size_t operations = 0;
      for (const plumb::History& history : *histories) {
        operations += history.size();
        bytes += history.memory();
      }
      fmt::print("{:.3f} {:.3f} {} {} ", wall.count(), processor, operations, bytes);
    }
    fmt::print("{:.3f}\n",
               pass_over_memory(bytes));  // the histories are gone: the peak of the process is theirs
  }
}
