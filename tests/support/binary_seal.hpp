// Makes the checksums of binary histories right again after something was changed in them, so that tests get
// past them.
#pragma once

#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "record/binary_block.hpp"

namespace plumb {

inline void seal(std::string& bytes) {
  std::size_t at = 0;
  while (bytes.size() - at >= BlockHeader::kSize) {
    char* head = bytes.data() + at;
    const std::size_t room = bytes.size() - at - BlockHeader::kSize;
    const auto size = load_little<std::uint64_t>(head + 16);
    if (size <= room) store_little(hash64({head + BlockHeader::kSize, size}), head + 24);
    store_little(hash64({head, 56}), head + 56);
    if (size > room) return;
    at += BlockHeader::kSize + size;
  }
}

}  // namespace plumb
