// Unsigned integers in bytes, the lowest byte first on every machine, at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace plumb {

template <class T>
[[nodiscard]] constexpr T native_to_little(T number) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (std::endian::native == std::endian::little) return number;
  T swapped = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    swapped = static_cast<T>(swapped | (((number >> (8 * i)) & 0xFFU) << (8 * (sizeof(T) - 1 - i))));
  }
  return swapped;
}

template <class T>
[[nodiscard]] T load_little(const char* from) {
  T number = 0;
  std::memcpy(&number, from, sizeof(T));
  return native_to_little(number);
}

template <class T>
void store_little(T number, char* to) {
  number = native_to_little(number);
  std::memcpy(to, &number, sizeof(T));
}

}  // namespace plumb
