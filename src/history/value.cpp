// The interning table of values: nodes in arenas, one hash index over all of them. See value.hpp for the
// idea.
#include <plumb/value.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>
#include <fmt/format.h>

#include "history/number.hpp"

namespace plumb {

// The content of a value, stored or about to be.
struct Values::Probe {
  ValueKind kind = ValueKind::kNil;
  std::uint64_t number = 0;  // the bits of an integer or real
  std::string_view text = {};
  std::span<const Value> items = {};  // an object's members as name, value, name, value, …

  template <class H>
  friend H AbslHashValue(H h, const Probe& p) {
    h = H::combine(std::move(h), p.kind, p.number, p.text);
    for (const Value item : p.items) h = H::combine(std::move(h), item);
    return H::combine(std::move(h), p.items.size());
  }
  friend bool operator==(const Probe& a, const Probe& b) {
    return a.kind == b.kind && a.number == b.number && a.text == b.text &&
           std::ranges::equal(a.items, b.items);
  }
};

struct Values::Table {
  struct Node {
    ValueKind kind;
    std::uint32_t size;   // of a string, array or object
    std::uint64_t where;  // its start in the arena; for numbers the bits themselves
  };
  struct Hash {
    using is_transparent = void;
    const Table* table;
    std::size_t operator()(const Probe& p) const { return absl::HashOf(p); }
    std::size_t operator()(std::uint32_t id) const { return absl::HashOf(table->probe(id)); }
  };
  struct Equal {
    using is_transparent = void;
    const Table* table;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t a, const Probe& b) const { return table->probe(a) == b; }
    bool operator()(const Probe& a, std::uint32_t b) const { return a == table->probe(b); }
  };

  explicit Table(std::uint32_t first_index) : first(first_index), index(0, Hash{this}, Equal{this}) {}

  [[nodiscard]] Probe probe(std::uint32_t id) const {
    const Node& n = nodes[id - first];
    if (n.kind == ValueKind::kString) return {.kind = n.kind, .text = {text.data() + n.where, n.size}};
    if (n.kind == ValueKind::kArray || n.kind == ValueKind::kObject) {
      return {.kind = n.kind, .items = {items.data() + n.where, n.size}};
    }
    return {.kind = n.kind, .number = n.where};
  }

  Value add(const Probe& p) {
    Node n{p.kind, 0, p.number};
    if (p.kind == ValueKind::kString) {
      n = {p.kind, static_cast<std::uint32_t>(p.text.size()), text.size()};
      text.insert(text.end(), p.text.begin(), p.text.end());
    } else if (p.kind == ValueKind::kArray || p.kind == ValueKind::kObject) {
      n = {p.kind, static_cast<std::uint32_t>(p.items.size()), items.size()};
      items.insert(items.end(), p.items.begin(), p.items.end());
    }
    const auto id = static_cast<std::uint32_t>(first + nodes.size());
    assert(id < 0x8000'0000U);
    nodes.push_back(n);
    index.insert(id);
    return Value::from_bits(id);
  }

  std::uint32_t first;  // the index of nodes[0]
  std::vector<Node> nodes;
  std::vector<char> text;
  std::vector<Value> items;
  absl::flat_hash_set<std::uint32_t, Hash, Equal> index;
};

Values::Values(const Values* parent) : parent_(parent) {
  constexpr std::uint32_t kFirstIndex = 3;  // below are null, false and true
  table_ = std::make_unique<Table>(
      parent == nullptr ? kFirstIndex
                        : static_cast<std::uint32_t>(parent->table_->first + parent->table_->nodes.size()));
}
Values::~Values() = default;
Values::Values(Values&&) noexcept = default;
Values& Values::operator=(Values&&) noexcept = default;

std::optional<Value> Values::find(const Probe& probe) const {
  for (const Values* v = this; v != nullptr; v = v->parent_) {
    const auto it = v->table_->index.find(probe);
    if (it != v->table_->index.end()) return Value::from_bits(*it);
  }
  return std::nullopt;
}

Value Values::intern(const Probe& probe) {
  if (const auto found = find(probe)) return *found;
  return table_->add(probe);
}

Values::Probe Values::probe(Value v) const {
  if (v.is_null()) return {};
  if (v.is_bool()) return {.kind = ValueKind::kBool, .number = v.is_true() ? 1U : 0U};
  if (v.is_small()) {
    return {.kind = ValueKind::kInteger, .number = static_cast<std::uint64_t>(v.small_integer())};
  }
  const Values* owner = this;
  while (v.bits() < owner->table_->first) owner = owner->parent_;
  return owner->table_->probe(v.bits());
}

Value Values::integer(std::int64_t n) {
  if (Value::fits(n)) return Value::small(n);
  return intern({.kind = ValueKind::kInteger, .number = static_cast<std::uint64_t>(n)});
}

Value Values::real(double d) {
  if (const auto whole = whole_number(d)) return integer(*whole);
  return intern({.kind = ValueKind::kReal, .number = std::bit_cast<std::uint64_t>(d)});
}

Value Values::string(std::string_view text) { return intern({.kind = ValueKind::kString, .text = text}); }

Value Values::array(std::span<const Value> items) {
  return intern({.kind = ValueKind::kArray, .items = items});
}

Value Values::object(std::span<const Member> members) {
  std::vector<Member> sorted(members.begin(), members.end());
  std::ranges::stable_sort(
      sorted, [this](const Member& a, const Member& b) { return as_string(a.first) < as_string(b.first); });
  std::vector<Value> flat;
  flat.reserve(2 * sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i + 1 < sorted.size() && sorted[i].first == sorted[i + 1].first) continue;
    flat.push_back(sorted[i].first);
    flat.push_back(sorted[i].second);
  }
  return intern({.kind = ValueKind::kObject, .items = flat});
}

std::optional<Value> Values::find_string(std::string_view text) const {
  return find({.kind = ValueKind::kString, .text = text});
}

ValueKind Values::kind(Value v) const { return probe(v).kind; }
std::int64_t Values::as_integer(Value v) const { return static_cast<std::int64_t>(probe(v).number); }
double Values::as_real(Value v) const {
  const Probe p = probe(v);
  return p.kind == ValueKind::kReal ? std::bit_cast<double>(p.number)
                                    : static_cast<double>(static_cast<std::int64_t>(p.number));
}
std::string_view Values::as_string(Value v) const { return probe(v).text; }
std::span<const Value> Values::as_array(Value v) const { return probe(v).items; }
std::span<const Value> Values::as_object(Value v) const { return probe(v).items; }

int Values::compare(Value a, Value b) const {
  if (a == b) return 0;
  if (a.is_small() && b.is_small()) return a.small_integer() < b.small_integer() ? -1 : 1;
  const Probe pa = probe(a);
  const Probe pb = probe(b);
  const auto sign = [](auto x, auto y) { return x < y ? -1 : (y < x ? 1 : 0); };
  const auto number = [](ValueKind k) { return k == ValueKind::kInteger || k == ValueKind::kReal; };
  if (pa.kind == ValueKind::kInteger && pb.kind == ValueKind::kInteger) {
    return sign(static_cast<std::int64_t>(pa.number), static_cast<std::int64_t>(pb.number));
  }
  if (number(pa.kind) && number(pb.kind)) {
    const int by_size = sign(as_real(a), as_real(b));
    return by_size != 0 ? by_size : sign(pa.kind, pb.kind);
  }
  if (pa.kind != pb.kind) return sign(pa.kind, pb.kind);
  if (pa.kind == ValueKind::kString) return sign(pa.text, pb.text);
  for (std::size_t i = 0; i < std::min(pa.items.size(), pb.items.size()); ++i) {
    if (const int c = compare(pa.items[i], pb.items[i]); c != 0) return c;
  }
  if (pa.items.size() != pb.items.size()) return sign(pa.items.size(), pb.items.size());
  return sign(pa.number, pb.number);
}

std::string Values::to_json(Value v) const {
  std::string out;
  append_json(v, out);
  return out;
}

// Recursion is as deep as the value; the codecs limit that.
void Values::append_json(Value v, std::string& out) const {
  const Probe p = probe(v);
  switch (p.kind) {
    case ValueKind::kNil:
      out += "null";
      return;
    case ValueKind::kBool:
      out += p.number != 0 ? "true" : "false";
      return;
    case ValueKind::kInteger:
      fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>(p.number));
      return;
    case ValueKind::kReal:
      // The shortest text that reads as this number. It has a point or an exponent, so it reads as a real.
      fmt::format_to(std::back_inserter(out), "{}", std::bit_cast<double>(p.number));
      return;
    case ValueKind::kString:
      append_json_string(p.text, out);
      return;
    case ValueKind::kArray:
      out += '[';
      for (std::size_t i = 0; i < p.items.size(); ++i) {
        if (i != 0) out += ',';
        append_json(p.items[i], out);
      }
      out += ']';
      return;
    case ValueKind::kObject:
      out += '{';
      for (std::size_t i = 0; i + 1 < p.items.size(); i += 2) {
        if (i != 0) out += ',';
        append_json(p.items[i], out);
        out += ':';
        append_json(p.items[i + 1], out);
      }
      out += '}';
      return;
  }
}

Value Values::import(const Values& from, Value v) {
  const Probe p = from.probe(v);
  switch (p.kind) {
    case ValueKind::kNil:
    case ValueKind::kBool:
      return v;
    case ValueKind::kInteger:
      return integer(static_cast<std::int64_t>(p.number));
    case ValueKind::kReal:
      return real(std::bit_cast<double>(p.number));
    case ValueKind::kString:
      return string(p.text);
    case ValueKind::kArray:
    case ValueKind::kObject: {
      std::vector<Value> items;
      for (const Value item : p.items) items.push_back(import(from, item));
      return intern({.kind = p.kind, .items = items});
    }
  }
  return kNull;
}

std::size_t Values::memory() const {
  return table_->nodes.capacity() * sizeof(Table::Node) + table_->text.capacity() +
         table_->items.capacity() * sizeof(Value) + table_->index.capacity() * (sizeof(std::uint32_t) + 1);
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

}  // namespace plumb
