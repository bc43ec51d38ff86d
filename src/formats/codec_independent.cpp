// independent: Jepsen's events with values [key value], as jepsen.independent makes them. Each key is an object of its own.
#include "formats/codecs.hpp"
#include "formats/jepsen_values_codec.hpp"

namespace plumb {

const Codec& independent_codec() {
  static const JepsenValuesCodec codec(
      "independent",
      "events, edn or jepsen-log with values [key value] of jepsen.independent, one object per key",
      "with values [key value]", JepsenValues::kIndependent);
  return codec;
}

}  // namespace plumb
