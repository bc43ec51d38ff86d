// Certificates as text: a header object on a line, the operations by number, a line `end`. Small enough to
// read by eye, and a million operations are a few megabytes.
#include <plumb/certificate.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/compression.hpp"
#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "history/printable.hpp"
#include "json/json_reader.hpp"
#include "json/json_writer.hpp"

namespace plumb {
namespace {

constexpr int kVersion = 3;  // 1 and 2 had a digest of 64 bits
constexpr std::size_t kIdsPerLine = 16;
constexpr std::size_t kMostHeader = std::size_t{1} << 24U;  // bytes; initial values can be long

void append_ids(std::span<const OperationId> ids, std::string& out) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    out += fmt::format_int(ids[i]).c_str();
    out += (i + 1) % kIdsPerLine == 0 || i + 1 == ids.size() ? '\n' : ' ';
  }
}

std::string header_line(const Certificate& certificate, std::size_t count) {
  JsonWriter json;
  json.object([&] {
    json.member("plumb-certificate", kVersion);
    json.member("model", certificate.model);
    json.member("initial", JsonWriter::Raw{certificate.initial});
    json.member("operations", certificate.operations);
    json.member("digest", to_string(certificate.digest));
    json.member("verdict", to_string(certificate.outcome, "linearizable"));
    json.member("count", count);
    if (certificate.outcome == Outcome::kViolation) {
      json.member("impossible", certificate.impossible);
      json.key("rules").array(certificate.rules, [&](Rule rule) { json.value(to_string(rule)); });
    }
    if (!certificate.relax.empty()) {
      json.key("relax").object([&] {
        for (const Relaxation& one : certificate.relax) json.member(one.operation, one.k.value_or(0));
      });
    }
  });
  return json.take() + "\n";
}

std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<Digest> parse_digest(std::string_view text) {
  constexpr std::size_t kHalf = 16;
  if (text.size() != 2 * kHalf) return std::nullopt;
  const auto high = parse_hexadecimal(text.substr(0, kHalf));
  const auto low = parse_hexadecimal(text.substr(kHalf));
  return high && low ? std::optional(Digest{*high, *low}) : std::nullopt;
}

class CertificateReader {
 public:
  explicit CertificateReader(std::string_view text) : text_(text) {}

  Result<std::vector<Certificate>> read() {
    std::vector<Certificate> all;
    for (skip_blank_lines(); at_ < text_.size(); skip_blank_lines()) {
      Certificate certificate;
      if (auto status = read_header(certificate); !status) return status.error();
      auto& ids = certificate.outcome == Outcome::kHolds ? certificate.order : certificate.core;
      if (auto status = read_ids(certificate.operations, ids); !status) return status.error();
      if (!certificate.relax.empty() && certificate.outcome == Outcome::kHolds) {
        if (auto status = read_word("legal"); !status) return status.error();
        if (auto status = read_ids(certificate.operations, certificate.legal); !status) return status.error();
      }
      if (auto status = read_word("end"); !status) return status.error();
      if (certificate.outcome == Outcome::kViolation) {
        if (auto status = check_core(certificate); !status) return status.error();
      }
      all.push_back(std::move(certificate));
    }
    if (all.empty()) return wrong("an empty certificate; expected {\"plumb-certificate\":3,…}");
    return all;
  }

 private:
  [[nodiscard]] Error wrong(std::string message) const {
    return Error{std::move(message), {line_, static_cast<std::uint32_t>(at_ - line_start_) + 1}};
  }

  void skip_blank_lines() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == ' ' || text_[at_] == '\r')) step();
  }
  void step() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_start_ = at_;
  }

  Status read_header(Certificate& certificate) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with("{\"plumb-certificate\":")) {
      return wrong("not a certificate; expected {\"plumb-certificate\":3,…}");
    }
    const std::size_t end = rest.substr(0, kMostHeader).find('\n');
    if (end == std::string_view::npos) return wrong("the certificate ends in its first line");
    JsonReader reader(rest.substr(0, end));
    const auto found = reader.next();
    if (!found) return here(found.error());
    if (!*found) return wrong("not a certificate");
    seen_ = 0;
    auto status = reader.members([&](std::string_view name, JsonValue value) {
      return read_member(reader, name, value, certificate);
    });
    if (!status) return here(status.error());
    if (auto fits = check_header(certificate); !fits) return fits;
    at_ += end + 1;
    ++line_;
    line_start_ = at_;
    return Ok{};
  }

  // An error of the first line, in the line where that stands.
  [[nodiscard]] Error here(Error error) const {
    error.place.line = line_;
    return error;
  }

  // The members of the first line. A certificate says nothing but what is checked: none is unknown, and the
  // reader sees to it that none stands twice.
  enum Member : unsigned {
    kVersionMember,
    kModel,
    kOperations,
    kDigest,
    kVerdict,
    kCount,
    kInitial,
    kRules,
    kImpossible,
    kRelax,
    kMembers
  };
  static constexpr std::array<std::string_view, kMembers> kNames = {
      "plumb-certificate", "model", "operations", "digest", "verdict", "count",
      "initial",           "rules", "impossible", "relax"};
  static constexpr unsigned kAlways = (1U << kInitial) - 1;  // those before it
  [[nodiscard]] bool has(Member member) const { return (seen_ >> member & 1U) != 0; }

  Status read_member(JsonReader& reader, std::string_view name, JsonValue value, Certificate& certificate) {
    const auto member = static_cast<unsigned>(std::ranges::find(kNames, name) - kNames.begin());
    if (member == kMembers)
      return Error{fmt::format("a member '{}', which this plumb does not know", printable(name))};
    seen_ |= 1U << member;
    switch (member) {
      case kVersionMember:
        return read_version(reader, value);
      case kOperations:
        return read_number(reader, value, name, certificate.operations);
      case kCount:
        return read_number(reader, value, name, count_);
      case kImpossible: {
        std::size_t id = 0;
        auto status = read_number(reader, value, name, id);
        certificate.impossible = static_cast<OperationId>(id);
        return status;
      }
      case kRelax:
        return read_relax(reader, value, certificate);
      case kRules:
        return reader.items(value, [&](JsonValue item) { return read_rule(reader, item, certificate); });
      case kInitial: {
        Values values;
        const auto initial = reader.value(value, &values);
        if (!initial) return initial.error();
        certificate.initial = values.to_json(*initial);
        return Ok{};
      }
      default:
        return read_text(reader, name, value, certificate);
    }
  }

  Status read_version(JsonReader& reader, JsonValue value) {
    const auto version =
        number(reader, value, kNames[kVersionMember], std::numeric_limits<std::int64_t>::max());
    if (!version) return version.error();
    if (*version == kVersion) return Ok{};
    return Error{fmt::format("certificate of version {}; this plumb reads version {}{}", *version, kVersion,
                             *version < kVersion ? ": have 'plumb check --certificate' write it again" : "")};
  }

  static Status read_number(JsonReader& reader, JsonValue value, std::string_view name, std::size_t& out) {
    const auto parsed = number(reader, value, name, History::kMaxOperations);
    if (!parsed) return parsed.error();
    out = *parsed;
    return Ok{};
  }

  static Status read_relax(JsonReader& reader, JsonValue value, Certificate& certificate) {
    return reader.members(value, [&](std::string_view operation, JsonValue k) -> Status {
      const auto places = number(reader, k, kNames[kRelax], std::numeric_limits<std::uint32_t>::max());
      if (!places) return places.error();
      certificate.relax.push_back({std::string(operation), static_cast<std::uint32_t>(*places)});
      return Ok{};
    });
  }

  // Every verdict has its members, and no others.
  [[nodiscard]] Status check_header(const Certificate& certificate) const {
    if ((seen_ & kAlways) != kAlways) {
      return wrong(
          "expected plumb-certificate, model, operations, digest, verdict and count in the first line");
    }
    const bool relaxed = !certificate.relax.empty();
    if (has(kRelax) != relaxed) return wrong("'relax' names no class; expected at least one");
    if (certificate.outcome == Outcome::kViolation) {
      if (!has(kRules) || !has(kImpossible))
        return wrong("a violation; expected 'rules' and 'impossible' in the first line");
    } else if (has(kRules) || has(kImpossible)) {
      return wrong("'rules' and 'impossible' are of a violation");
    }
    if (certificate.outcome == Outcome::kUnknown && count_ != 0)
      return wrong("a verdict 'unknown', which has no proof; expected no operations");
    return Ok{};
  }

  Status read_text(JsonReader& reader, std::string_view name, JsonValue value, Certificate& certificate) {
    const auto text = reader.string(value, name);
    if (!text) return text.error();
    if (name == kNames[kModel]) {
      certificate.model = *text;
    } else if (name == kNames[kDigest]) {
      const auto digest = parse_digest(*text);
      if (!digest) return Error{"digest; expected 32 hexadecimal digits"};
      certificate.digest = *digest;
    } else {
      const auto outcomes = std::array{Outcome::kHolds, Outcome::kViolation, Outcome::kUnknown};
      const auto it =
          std::ranges::find(outcomes, *text, [](Outcome o) { return to_string(o, "linearizable"); });
      if (it == outcomes.end()) return Error{"verdict; expected linearizable, violation or unknown"};
      certificate.outcome = *it;
    }
    return Ok{};
  }

  Status read_rule(JsonReader& reader, JsonValue item, Certificate& certificate) {
    const auto name = reader.string(item, "rule");
    if (!name) return name.error();
    for (std::size_t i = 0; i < kRuleCount; ++i) {
      if (to_string(static_cast<Rule>(i)) != *name) continue;
      if (std::ranges::find(certificate.rules, static_cast<Rule>(i)) != certificate.rules.end()) {
        return Error{fmt::format("the rule '{}' appears twice", *name)};
      }
      certificate.rules.push_back(static_cast<Rule>(i));
      return Ok{};
    }
    return Error{"a rule that this plumb does not know"};
  }

  static Result<std::uint64_t> number(JsonReader& reader, JsonValue value, std::string_view what,
                                      std::uint64_t most) {
    const auto parsed = reader.integer(value, what);
    if (!parsed) return parsed.error();
    if (*parsed < 0 || static_cast<std::uint64_t>(*parsed) > most) {
      return Error{fmt::format("{} {}; expected 0 to {}", what, *parsed, most)};
    }
    return static_cast<std::uint64_t>(*parsed);
  }

  // `count_` numbers of operations.
  Status read_ids(std::size_t operations, std::vector<OperationId>& ids) {
    if (count_ > operations)
      return wrong(fmt::format("{} named of {}", count_of(count_, "operation"), operations));
    while (ids.size() < count_) {
      skip_blank_lines();
      OperationId id = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), id);
      if (error != std::errc() || id >= operations) {
        return wrong(at_ == text_.size()
                         ? fmt::format("the certificate is cut off: {} of {} are there", ids.size(),
                                       count_of(count_, "operation"))
                         : fmt::format("expected the number of an operation, below {}", operations));
      }
      ids.push_back(id);
      at_ = static_cast<std::size_t>(end - text_.data());
    }
    return Ok{};
  }

  Status read_word(std::string_view word) {
    skip_blank_lines();
    if (!text_.substr(at_).starts_with(word)) {
      return wrong(at_ == text_.size() ? fmt::format("the certificate is cut off: expected '{}'", word)
                                       : fmt::format("expected '{}'", word));
    }
    at_ += word.size();
    if (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r')
      return wrong("expected the end of the line");
    return Ok{};
  }

  [[nodiscard]] Status check_core(const Certificate& certificate) const {
    const auto& core = certificate.core;
    if (!std::ranges::is_sorted(core) || std::ranges::adjacent_find(core) != core.end()) {
      return wrong("the operations of a core; expected them in ascending order, each once");
    }
    if (!std::ranges::binary_search(core, certificate.impossible)) {
      return wrong(fmt::format("the impossible operation {} is not in the core", certificate.impossible));
    }
    return Ok{};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::size_t count_ = 0;  // of the present certificate
  unsigned seen_ = 0;      // members of its first line
};

}  // namespace

std::string format_certificate(const Certificate& certificate) {
  const bool relaxed = !certificate.relax.empty();
  const auto& ids = certificate.outcome == Outcome::kViolation ? certificate.core : certificate.order;
  std::string out = header_line(certificate, ids.size());
  append_ids(ids, out);
  if (relaxed && certificate.outcome == Outcome::kHolds) {
    out += "legal\n";
    append_ids(certificate.legal, out);
  }
  return out + "end\n";
}

Result<std::vector<Certificate>> parse_certificates(std::string_view text) {
  return CertificateReader(text).read();
}

Result<std::vector<Certificate>> read_certificates(const std::string& path) {
  constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();
  const auto named = [&](Error error) {
    if (error.file.empty()) error.file = path;
    return error;
  };
  auto file = InputFile::open(path);
  if (!file) return named(file.error());
  std::string bytes;
  if (!file->is_mapped()) {
    if (auto status = file->read(bytes, kEverything); !status) return named(status.error());
  }
  std::string_view text = file->is_mapped() ? file->mapped() : std::string_view(bytes);
  std::string unpacked;
  if (compression_of(text) != Compression::kNone) {
    if (auto status = Decompressor(text).read(unpacked, kEverything); !status) return named(status.error());
    text = unpacked;
  }
  auto certificates = parse_certificates(text);
  if (!certificates) return named(certificates.error());
  return certificates;
}

Status write_certificates(std::span<const Certificate> certificates, const std::string& path) {
  std::string text;
  for (const Certificate& certificate : certificates) text += format_certificate(certificate);
  if (const Compression packing = compression_by_name(path); packing != Compression::kNone) {
    auto packed = compress(text, packing);
    if (!packed) return packed.error();
    text = std::move(*packed);
  }
  return write_file(path, text);
}

}  // namespace plumb
