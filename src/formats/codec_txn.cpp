// txn: Jepsen's events with transactions of one step, as Elle's generators write them. Each key is a register of its own.
#include "formats/codecs.hpp"
#include "formats/jepsen_values_codec.hpp"

namespace plumb {

const Codec& txn_codec() {
  static const JepsenValuesCodec codec(
      "txn", "events, edn or jepsen-log with transactions of one read or write (Elle), one register per key",
      "with transactions of one step", JepsenValues::kSingleSteps);
  return codec;
}

}  // namespace plumb
