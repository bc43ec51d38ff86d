// The order in which a ConcurrentHashMap of OpenJDK 17 iterates: by bucket, and within a bucket as its nodes are linked.
// Buckets that Java turns into trees (more than eight keys in one of at least 64) are not imitated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plumb/value.hpp>

namespace plumb {

// Entries are key, value, key, value, …
void insert_by_hash(std::vector<Value>& entries, std::uint32_t& buckets, Value key, Value value,
                    std::uint32_t first_buckets, const Values& values);
// Makes room for so many more, as putAll does first.
void presize(std::vector<Value>& entries, std::uint32_t& buckets, std::size_t more,
             std::uint32_t first_buckets, const Values& values);
// The size of the table that the constructor with an initial capacity will make.
[[nodiscard]] std::uint32_t buckets_for_capacity(std::int64_t capacity);

}  // namespace plumb
