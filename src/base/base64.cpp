#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace plumb {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned kBits = 6;  // of a digit
constexpr std::uint8_t kNone = 0xFF;

constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

}  // namespace

// Three bytes at a time: a journal has most of its lines so.
std::string to_base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  const auto put = [&to](std::uint32_t held, unsigned digits) {
    for (unsigned i = 0; i < digits; ++i) *to++ = kDigits[(held >> (18 - kBits * i)) & 0x3FU];
  };
  const auto byte = [&](std::size_t at) -> std::uint32_t { return static_cast<unsigned char>(bytes[at]); };
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3) put(byte(at) << 16U | byte(at + 1) << 8U | byte(at + 2), 4);
  if (bytes.size() - at == 2) put(byte(at) << 16U | byte(at + 1) << 8U, 3);
  if (bytes.size() - at == 1) put(byte(at) << 16U, 2);
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char digit : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(digit)];
    if (value == kNone) return std::nullopt;
    held = (held << kBits) | value;
    if ((bits += kBits) < 8) continue;
    bits -= 8;
    out += static_cast<char>((held >> bits) & 0xFFU);
  }
  return out;
}

}  // namespace plumb
