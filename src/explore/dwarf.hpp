// The entries of DWARF (DIEs) as values, and the few questions about them that debug_*.cpp ask.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <optional>
#include <string>
#include <vector>

namespace plumb::engine::dwarf {

using Die = Dwarf_Die;

std::vector<Die> scopes(Die die);  // the entries around this one, itself first, the unit last
// The innermost block or inlined function of `function` at that address, and what is around it; the function itself last.
std::vector<Die> scopes_at(Die function, Dwarf_Addr pc);
Die unit_of(Die die);

// An attribute of the entry, or of the declaration or abstract function it stands for.
std::optional<Dwarf_Attribute> attribute(Die die, unsigned name);
std::optional<Die> refers_to(Die die, unsigned name);
std::optional<std::uint64_t> number(Die die, unsigned name);
Die declaration(Die die);  // follows DW_AT_abstract_origin and DW_AT_specification to the end

std::string name(Die die);
std::optional<Die> type(Die die);  // without typedef, const, volatile
std::optional<std::uint64_t> size_of(Die type);

bool is_record(Die die);     // class, struct or union
bool is_function(Die die);   // also one that is inlined
bool is_namespace(Die die);  // also the global one: a unit

// Calls f for each child.
template <class F>
void each_child(Die die, F f) {
  Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do f(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

// "Stack::pop", "test::lambda": with classes and, for a lambda, the function around it, without namespaces.
std::string qualified_name(Die die);
bool in_namespace(Die die, std::string_view name);  // the outermost one

}  // namespace plumb::engine::dwarf
