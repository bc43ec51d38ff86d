// What a history is to a model, in 128 bits: every operation with its process, arguments and result, and the
// order of the events. It tells histories apart that are not the same; it is no seal against forgery.
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <plumb/certificate.hpp>

#include "base/hash.hpp"
#include "spec/bind.hpp"

namespace plumb {
namespace {

class DigestBuilder {
 public:
  explicit DigestBuilder(const Values& values) : values_(values) {}

  void add(std::uint64_t word) {
    words_[count_++] = word;
    if (count_ == words_.size()) flush();
  }
  // By its text: handles differ from reading to reading. That of a value in the table is made once.
  void add(Value value) {
    if (value.is_small()) return add(static_cast<std::uint64_t>(value.small_integer()) ^ kSmall);
    const auto [it, is_new] = known_.try_emplace(value);
    if (is_new) it->second = hash128(values_.to_json(value));
    add(it->second.high);
    add(it->second.low);
  }
  Digest finish() {
    flush();
    return {words_[0], words_[1]};
  }

 private:
  static constexpr std::uint64_t kSmall = 0x5bd1'e995'97f4'a7c1ULL;

  // What is hashed begins with the hash of all before it.
  void flush() {
    const Hash128 hash = hash128({reinterpret_cast<const char*>(words_.data()), count_ * sizeof(words_[0])});
    words_[0] = hash.high;
    words_[1] = hash.low;
    count_ = 2;
  }

  const Values& values_;
  absl::flat_hash_map<Value, Hash128> known_;
  std::array<std::uint64_t, 512> words_ = {};
  std::size_t count_ = 2;
};

}  // namespace

std::string to_string(const Digest& digest) { return fmt::format("{:016x}{:016x}", digest.high, digest.low); }

Result<Digest> digest_of(const History& history, const Model& model) {
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  DigestBuilder digest(history.values());
  for (OperationId i = 0; i < history.size(); ++i) {
    const auto args = history.args(i);
    const auto result = bound->result(i);
    digest.add(std::uint64_t{bound->operation(i)} << 16U | args.size() << 1U | (result ? 1U : 0U));
    digest.add(history.process(i));
    for (const Value arg : args) digest.add(arg);
    if (result) digest.add(*result);
    if (history.has_objects()) digest.add(history.object(i));
  }
  for (const Event event : history.events())
    digest.add((std::uint64_t{event.operation()} << 1U) | (event.is_return() ? 1U : 0U));
  return digest.finish();
}

}  // namespace plumb
