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

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char byte : bytes) {
    held = (held << 8U) | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= kBits;) {
      bits -= kBits;
      out += kDigits[(held >> bits) & 0x3FU];
    }
  }
  if (bits > 0) out += kDigits[(held << (kBits - bits)) & 0x3FU];
  out.append((4 - out.size() % 4) % 4, '=');
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
