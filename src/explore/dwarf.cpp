#include "explore/dwarf.hpp"

#include <algorithm>
#include <map>

namespace plumb::engine::dwarf {
namespace {

// What stands inside what in a unit, walked through once: dwarf_getscopes_die() walks for each answer, which takes seconds where a
// unit is large (<regex>, Boost) and has many variables.
class Nesting {
 public:
  explicit Nesting(Die unit) { add(unit, kNone); }

  // The entries around one of the unit, the innermost first.
  [[nodiscard]] std::vector<Die> around(Die die) const {
    const Dwarf_Off place = dwarf_dieoffset(&die);
    const auto after = std::lower_bound(scopes_.begin(), scopes_.end(), place,
                                        [](const Scope& scope, Dwarf_Off at) { return scope.begin < at; });
    std::vector<Die> result;
    for (auto at = static_cast<std::size_t>(after - scopes_.begin()) - 1; at != kNone;
         at = scopes_[at].parent) {
      if (place <= scopes_[at].last) result.push_back(scopes_[at].die);
    }
    return result;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Scope {
    Dwarf_Off begin;
    Dwarf_Off last;  // where the last entry inside it begins
    std::size_t parent;
    Die die;
  };

  Dwarf_Off add(Die die, std::size_t parent) {
    const std::size_t own = scopes_.size();
    Dwarf_Off last = dwarf_dieoffset(&die);
    scopes_.push_back({last, last, parent, die});
    each_child(die, [&](Die child) {
      last = dwarf_haschildren(&child) == 1 ? add(child, own) : dwarf_dieoffset(&child);
    });
    scopes_[own].last = last;
    return last;
  }

  std::vector<Scope> scopes_;  // those with entries inside them, by where they begin
};

// g++: "<lambda()>"; clang: no name.
bool is_lambda_class(Die die) {
  const std::string own = name(die);
  return is_record(die) && (own.empty() || own.starts_with('<'));
}

std::string without_arguments(const std::string& name) {
  constexpr std::size_t kLongest = 40;
  const auto bracket = name.find('<');
  return name.size() <= kLongest || bracket == 0 || bracket == std::string::npos ? name
                                                                                 : name.substr(0, bracket);
}

}  // namespace

std::vector<Die> scopes(Die die) {
  static std::map<Dwarf_CU*, Nesting> units;
  std::vector<Die> result = units.try_emplace(die.cu, unit_of(die)).first->second.around(die);
  result.insert(result.begin(), die);
  return result;
}

std::vector<Die> scopes_at(Die function, Dwarf_Addr pc) {
  std::vector<Die> path{function};
  for (bool deeper = true; deeper;) {
    deeper = false;
    each_child(path.back(), [&](Die child) {
      const int tag = dwarf_tag(&child);
      const bool block = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
      if (deeper || !block || dwarf_haspc(&child, pc) != 1) return;
      path.push_back(child);
      deeper = true;
    });
  }
  std::reverse(path.begin(), path.end());
  return path;
}

Die unit_of(Die die) {
  Die unit;
  dwarf_diecu(&die, &unit, nullptr, nullptr);
  return unit;
}

std::optional<Dwarf_Attribute> attribute(Die die, unsigned name) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(&die, name, &found) == nullptr) return std::nullopt;
  return found;
}

std::optional<Die> refers_to(Die die, unsigned name) {
  auto found = attribute(die, name);
  Die target;
  if (!found || dwarf_formref_die(&*found, &target) == nullptr) return std::nullopt;
  return target;
}

std::optional<std::uint64_t> number(Die die, unsigned name) {
  auto found = attribute(die, name);
  Dwarf_Word value = 0;
  if (!found || dwarf_formudata(&*found, &value) != 0) return std::nullopt;
  return value;
}

Die declaration(Die die) {
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute found;
    Die target;
    if (dwarf_attr(&die, link, &found) != nullptr && dwarf_formref_die(&found, &target) != nullptr)
      return declaration(target);
  }
  return die;
}

std::string name(Die die) {
  const char* found = dwarf_diename(&die);
  return found == nullptr ? "" : found;
}

std::optional<Die> type(Die die) {
  auto found = refers_to(die, DW_AT_type);
  Die peeled;
  if (!found || dwarf_peel_type(&*found, &peeled) != 0) return std::nullopt;
  return peeled;
}

std::optional<std::uint64_t> size_of(Die type) {
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) != 0) return std::nullopt;
  return size;
}

bool is_record(Die die) {
  const int tag = dwarf_tag(&die);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

bool is_function(Die die) {
  const int tag = dwarf_tag(&die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

bool is_namespace(Die die) {
  const int tag = dwarf_tag(&die);
  return tag == DW_TAG_namespace || tag == DW_TAG_compile_unit;
}

std::string qualified_name(Die die) {
  const Die declared = declaration(die);
  std::string result = without_arguments(name(declared));
  const std::vector<Die> around = scopes(declared);
  bool lambda = false;
  for (std::size_t i = 1; i < around.size(); ++i) {
    if (is_lambda_class(around[i])) {
      result = "lambda";
      lambda = true;
    } else if (is_record(around[i])) {
      result.insert(0, without_arguments(name(around[i])) + "::");
    } else if (is_function(around[i])) {
      if (!lambda) return result;
      const std::string outer = qualified_name(around[i]);
      return outer.ends_with("lambda") ? outer : outer + "::lambda";  // one in another: said once
    }
  }
  return result;
}

bool in_namespace(Die die, std::string_view name) {
  std::string outermost;
  const std::vector<Die> around = scopes(declaration(die));
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (i > 0 && is_function(around[i])) return in_namespace(around[i], name);  // where that is declared
    Die scope = around[i];
    if (dwarf_tag(&scope) == DW_TAG_namespace) outermost = dwarf::name(scope);
  }
  return outermost == name;
}

}  // namespace plumb::engine::dwarf
