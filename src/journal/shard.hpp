// One of several processes that share the pieces of a run without knowing of each other: every N-th piece is its own. Which one it is
// stands on the command line, or in the environment of whoever starts the processes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <plumb/result.hpp>

namespace plumb {

struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  [[nodiscard]] bool has(std::size_t piece) const { return piece % count == index; }
  bool operator==(const Shard&) const = default;
};

// What --shard says: a shard, or that the environment does.
struct ShardChoice {
  std::optional<Shard> given = std::nullopt;
  bool environment = false;
};

// "I/N" with I from 0, or "env".
[[nodiscard]] Result<ShardChoice> parse_shard(const std::string& text);

using Environment = std::function<const char*(const char* name)>;

// The shard to do; nothing: everything. Without --shard only GoogleTest's variables count. Where whoever started us wants to be told
// that shards are known here (a status file), that is done.
[[nodiscard]] Result<std::optional<Shard>> find_shard(const ShardChoice& choice, const Environment& variable);
// With the environment of this process.
[[nodiscard]] Result<std::optional<Shard>> find_shard(const ShardChoice& choice);

}  // namespace plumb
