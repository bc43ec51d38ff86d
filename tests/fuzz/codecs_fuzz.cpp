// The first byte of the input names a format, the rest is a text of it. No text may bring a codec down, and
// what parses must survive being written and parsed again.
#include <cstdint>
#include <string>

#include "fuzz/round_trip.hpp"
#include "support/binary_seal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (text.starts_with(plumb::kBinaryMagic)) plumb::seal(text);  // or nothing would get past the checksums
  const auto codecs = plumb::all_codecs();
  const std::size_t format = data[0] % (codecs.size() + 1);
  plumb::fuzz::check_read(
      plumb::parse_histories(text, format == codecs.size() ? "auto" : codecs[format]->name()), text);
  return 0;
}
