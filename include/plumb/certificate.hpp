// Certificates: a verdict together with its proof, in a form that `verify` checks without any of the engines.
// docs/certificates.md describes the text and the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb {

// By what operations outside the core are dropped. What is linearizable stays linearizable under each.
enum class Rule : std::uint8_t {
  kPart,        // other objects, and other keys where the model splits by key
  kCut,         // what was called after the impossible return; what was open then need not have happened
  kValues,      // all operations of the values that no operation of the core has
  kUnchanging,  // operations that never change the state
  kStates,      // what takes no possible state away, just before the impossible return
};
inline constexpr std::size_t kRuleCount = 5;
[[nodiscard]] std::string_view to_string(Rule rule);  // as it stands in a certificate

// What distinguishes a history from others: 128 bits, no protection against forgery.
struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Digest&) const = default;
};
[[nodiscard]] std::string to_string(const Digest& digest);  // 32 hexadecimal digits

struct Certificate {
  std::string model;
  std::string initial = "null";  // of the history's header, as JSON
  std::size_t operations = 0;
  Digest digest;  // of the history, see digest_of
  Outcome outcome = Outcome::kUnknown;
  std::vector<OperationId> order;  // for kHolds: the operations as they took effect
  std::vector<Relaxation> relax;   // quasi linearizability: how far classes may move; empty: the plain one
  std::vector<OperationId> legal;  // with it, for kHolds: the legal history, place by place beside the order
  std::vector<OperationId> core;   // for kViolation; ascending
  OperationId impossible = 0;      // of the core: its return is the last event considered
  std::vector<Rule> rules;         // how the history becomes the core, in order
};

// Equal for histories that are the same to this model: operations, results, and the order of calls and returns. Times,
// other names of operations and the format do not matter. Fails only if the history does not fit the model.
[[nodiscard]] Result<Digest> digest_of(const History& history, const Model& model);

// As text and back. A file holds one certificate for each of its histories, in order; errors name line and column.
[[nodiscard]] std::string format_certificate(const Certificate& certificate);
[[nodiscard]] Result<std::vector<Certificate>> parse_certificates(std::string_view text);
[[nodiscard]] Result<std::vector<Certificate>> read_certificates(const std::string& path);
// A name that ends in .gz or .zst compresses; "-" is standard output.
[[nodiscard]] Status write_certificates(std::span<const Certificate> certificates, const std::string& path);

struct Verification {
  bool proved = false;
  std::string reason;  // why not; empty when it is proved
};

// Whether the certificate proves its verdict for this very history. With relaxed classes both orders are gone through, or the
// impossible return is refuted by a plain search of its own. No engine takes part: an order is replayed, rules are
// applied again, and a core is refuted by a plain search; `limits` bounds that search, and what it cannot prove is not
// proved. Fails only if the history does not fit the model.
struct VerifyLimits {
  std::uint64_t configurations = 20'000'000;
};
[[nodiscard]] Result<Verification> verify(const History& history, const Model& model,
                                          const Certificate& certificate, const VerifyLimits& limits = {});

}  // namespace plumb
