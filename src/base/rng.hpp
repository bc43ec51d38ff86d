// A small random generator whose numbers are the same on every machine: a seed reproduces everything.
#pragma once

#include <cstdint>

namespace plumb {

// splitmix64: https://prng.di.unimi.it/splitmix64.c describes it; passes BigCrush, one addition and three mixes a step.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBULL;
    return z ^ (z >> 31U);
  }

  // Uniform in [0, bound); bound must not be 0. The bias is below 2^-32 for the bounds used here.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }
  bool chance(double probability) { return static_cast<double>(next() >> 11U) * 0x1.0p-53 < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace plumb
