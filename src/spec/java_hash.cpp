#include "spec/java_hash.hpp"

#include <algorithm>
#include <bit>

namespace plumb {
namespace {

constexpr std::uint32_t kUsualBuckets = 16;
constexpr std::uint32_t kMostBuckets = std::uint32_t{1} << 30U;

// String.hashCode: over the units of UTF-16.
std::uint32_t hash_of_text(std::string_view text) {
  std::uint32_t hash = 0;
  const auto add = [&](std::uint32_t unit) { hash = 31 * hash + unit; };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i++]);
    const int more = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    std::uint32_t point = more == 0 ? byte : byte & (0x3FU >> static_cast<unsigned>(more));
    for (int k = 0; k < more && i < text.size(); ++k) {
      point = point << 6U | (static_cast<unsigned char>(text[i++]) & 0x3FU);
    }
    if (point < 0x10000) {
      add(point);
    } else {
      add(0xD800 + ((point - 0x10000) >> 10U));
      add(0xDC00 + ((point - 0x10000) & 0x3FFU));
    }
  }
  return hash;
}

// Object.hashCode of Integer, Long, Boolean and String, spread as the map does.
std::uint32_t hash_of(Value key, const Values& values) {
  std::uint32_t hash = 0;
  if (key.is_bool()) {
    hash = key.is_true() ? 1231 : 1237;
  } else if (values.kind(key) == ValueKind::kInteger) {
    const std::int64_t n = values.as_integer(key);
    const auto bits = static_cast<std::uint64_t>(n);
    const bool is_int = n == static_cast<std::int32_t>(n);
    hash = static_cast<std::uint32_t>(is_int ? bits : bits ^ (bits >> 32U));
  } else {
    hash = hash_of_text(values.as_string(key));
  }
  return (hash ^ (hash >> 16U)) & 0x7fff'ffffU;
}

// The nodes of one bucket after the table has doubled: those of the last run that stay together keep their order, those
// before it are put in front one by one.
void split_bucket(std::span<const Value> bucket, std::uint32_t bit, const Values& values,
                  std::vector<Value>& low, std::vector<Value>& high) {
  const auto goes_high = [&](std::size_t i) { return (hash_of(bucket[i], values) & bit) != 0; };
  std::size_t run = bucket.size();
  for (std::size_t i = bucket.size(); i >= 2 && goes_high(i - 2) == goes_high(bucket.size() - 2); i -= 2) {
    run = i - 2;
  }
  for (std::size_t i = run; i >= 2; i -= 2) {
    auto& to = goes_high(i - 2) ? high : low;
    to.insert(to.end(), {bucket[i - 2], bucket[i - 1]});
  }
  auto& to = goes_high(run) ? high : low;
  to.insert(to.end(), bucket.begin() + static_cast<std::ptrdiff_t>(run), bucket.end());
}

void double_table(std::vector<Value>& entries, std::uint32_t& buckets, const Values& values) {
  std::vector<Value> lows;
  std::vector<Value> highs;
  for (std::size_t begin = 0; begin < entries.size();) {
    const auto bucket_of = [&](std::size_t i) { return hash_of(entries[i], values) & (buckets - 1); };
    std::size_t end = begin;
    while (end < entries.size() && bucket_of(end) == bucket_of(begin)) end += 2;
    split_bucket(std::span<const Value>(entries).subspan(begin, end - begin), buckets, values, lows, highs);
    begin = end;
  }
  lows.insert(lows.end(), highs.begin(), highs.end());
  entries = std::move(lows);
  buckets *= 2;
}

std::uint32_t threshold(std::uint32_t buckets) { return buckets - (buckets >> 2U); }

std::uint32_t table_size_for(std::int64_t n) {
  return n >= kMostBuckets ? kMostBuckets
                           : std::bit_ceil(static_cast<std::uint32_t>(std::max<std::int64_t>(n, 1)));
}

}  // namespace

void insert_by_hash(std::vector<Value>& entries, std::uint32_t& buckets, Value key, Value value,
                    std::uint32_t first_buckets, const Values& values) {
  if (buckets == 0) buckets = first_buckets != 0 ? first_buckets : kUsualBuckets;
  const std::uint32_t bucket = hash_of(key, values) & (buckets - 1);
  std::size_t at = entries.size();
  while (at >= 2 && (hash_of(entries[at - 2], values) & (buckets - 1)) > bucket) at -= 2;
  entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at), {key, value});
  while (entries.size() / 2 >= threshold(buckets) && buckets < kMostBuckets)
    double_table(entries, buckets, values);
}

void presize(std::vector<Value>& entries, std::uint32_t& buckets, std::size_t more,
             std::uint32_t first_buckets, const Values& values) {
  const std::uint32_t wanted = table_size_for(static_cast<std::int64_t>(more + (more >> 1U) + 1));
  if (buckets == 0) buckets = std::max(first_buckets, wanted);
  while (wanted > threshold(buckets) && buckets < kMostBuckets) double_table(entries, buckets, values);
}

std::uint32_t buckets_for_capacity(std::int64_t capacity) {
  constexpr double kLoadFactor = 0.75F;
  const double size = 1.0 + static_cast<double>(capacity) / kLoadFactor;
  return size >= kMostBuckets ? kMostBuckets : table_size_for(static_cast<std::int64_t>(size));
}

}  // namespace plumb
