// The functions and variables of the program, by address.
#include <cxxabi.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "explore/debug_data.hpp"

namespace plumb::engine {
namespace {

using dwarf::Die;

// The last part of a symbol's name: "n" of "(anonymous namespace)::count(int)::n".
std::string last_part(std::string symbol) {
  symbol.erase(std::min(symbol.find('.'), symbol.size()));  // what compilers add to copies and parts
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  const auto colons = name.rfind("::");
  const bool in_brackets =
      colons != std::string::npos && name.find_first_of(">)", colons) != std::string::npos;
  return colons == std::string::npos || in_brackets ? name : name.substr(colons + 2);
}

// What DW_OP_addr says, or with DWARF 5 an index into a table of addresses.
std::optional<Dwarf_Addr> fixed_address(Dwarf_Attribute location, const Dwarf_Op& operation) {
  if (operation.atom == DW_OP_addr) return operation.number;
  Dwarf_Attribute value;
  Dwarf_Addr address = 0;
  if (operation.atom != DW_OP_addrx || dwarf_getlocation_attr(&location, &operation, &value) != 0 ||
      dwarf_formaddr(&value, &address) != 0)
    return std::nullopt;
  return address;
}

}  // namespace

void DebugInfo::Data::find_all() {
  Dwarf_CU* unit = nullptr;
  Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) find_in(die);
  add_symbols();
  std::sort(functions.begin(), functions.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
  std::stable_sort(globals.begin(), globals.end(),
                   [](const Global& a, const Global& b) { return a.address < b.address; });
}

void DebugInfo::Data::find_in(Die scope) {
  dwarf::each_child(scope, [&](Die child) {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        add_function(child);
        return find_in(child);
      case DW_TAG_class_type:  // of classes inside functions, lambdas above all, g++ keeps the functions there
      case DW_TAG_structure_type:
        return dwarf::is_namespace(scope) ? void() : find_in(child);
      case DW_TAG_namespace:
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine:
        return find_in(child);
      case DW_TAG_variable:
        return add_global(child);
      default:
        return;
    }
  });
}

void DebugInfo::Data::add_function(Die die) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
    functions.push_back({begin, end, die});
}

void DebugInfo::Data::add_global(Die die) {
  Dwarf_Attribute location;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&die, DW_AT_location, &location) == nullptr ||
      dwarf_whatform(&location) != DW_FORM_exprloc || dwarf_getlocation(&location, &operations, &count) != 0)
    return;
  const auto type = dwarf::type(die);
  if (!type) return;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_parts = i + 1 < count && operations[i + 1].atom == DW_OP_piece;
    const auto address = fixed_address(location, operations[i]);
    if (address && (in_parts || count == 1)) {
      globals.push_back({.address = *address,
                         .size = in_parts ? operations[i + 1].number : dwarf::size_of(*type).value_or(1),
                         .offset = offset,
                         .name = dwarf::qualified_name(die),
                         .type = *type,
                         .typed = true});
    } else if (operations[i].atom == DW_OP_piece) {
      offset += operations[i].number;
    }  // else a part that is computed
  }
}

void DebugInfo::Data::add_symbols() {
  Elf* elf = dwarf_getelf(dwarf);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0)
      continue;
    Elf_Data* symbols = elf_getdata(section, nullptr);
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(symbols, static_cast<int>(i), &symbol) == nullptr || symbol.st_size == 0 ||
          GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF)
        continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name == nullptr) continue;
      globals.push_back(
          {.address = symbol.st_value, .size = symbol.st_size, .name = last_part(name), .type = {}});
    }
  }
}

const DebugInfo::Data::Function* DebugInfo::Data::function_at(Dwarf_Addr pc) const {
  const auto after =
      std::upper_bound(functions.begin(), functions.end(), pc,
                       [](Dwarf_Addr value, const Function& function) { return value < function.begin; });
  return after != functions.begin() && pc < (after - 1)->end ? &*(after - 1) : nullptr;
}

// Of several at one address the first is the one with a type.
const DebugInfo::Data::Global* DebugInfo::Data::global_at(std::uintptr_t address) const {
  const auto after =
      std::upper_bound(globals.begin(), globals.end(), address,
                       [](std::uintptr_t value, const Global& global) { return value < global.address; });
  const Global* found = nullptr;
  for (auto at = after; at != globals.begin();) {
    --at;
    if (at->address != (after - 1)->address) break;
    if (address < at->address + at->size) found = &*at;
  }
  return found;
}

}  // namespace plumb::engine
