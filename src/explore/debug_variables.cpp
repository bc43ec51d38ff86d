// Which variable, and which member of it, stands at an address.
#include <fmt/format.h>

#include "explore/debug_data.hpp"
#include "runtime/watchdog.hpp"

namespace plumb::engine {
namespace {

using dwarf::Die;
using Depth = DebugInfo::Depth;

std::string plus(std::uint64_t offset) { return offset == 0 ? "" : fmt::format("+{}", offset); }

std::string member_path(Die type, std::uint64_t offset, Depth depth);

// The member of a class, or of its bases, that covers the offset.
std::string record_path(Die record, std::uint64_t offset, Depth depth) {
  std::string found = plus(offset);
  bool done = false;
  dwarf::each_child(record, [&](Die child) {
    const int tag = dwarf_tag(&child);
    if (done || (tag != DW_TAG_member && tag != DW_TAG_inheritance)) return;
    const auto type = dwarf::type(child);
    const auto at = dwarf::number(child, DW_AT_data_member_location);
    const bool in_union = dwarf_tag(&record) == DW_TAG_union_type;
    if (!type || (!at && !in_union)) return;  // a static member, or a virtual base
    const std::uint64_t begin = at.value_or(0);
    if (offset < begin || offset >= begin + dwarf::size_of(*type).value_or(0)) return;
    const std::string name = tag == DW_TAG_member ? dwarf::name(child) : "";
    done = true;
    // Names that are the C library's: what is inside a pthread_mutex_t.
    const bool inside = name.starts_with("__");
    found = inside ? "" : (name.empty() ? "" : "." + name) + member_path(*type, offset - begin, depth);
  });
  return found;
}

std::string array_path(Die array, std::uint64_t offset, Depth depth) {
  const auto element = dwarf::type(array);
  const auto size = element ? dwarf::size_of(*element).value_or(0) : 0;
  if (size == 0) return plus(offset);
  return fmt::format("[{}]", offset / size) + member_path(*element, offset % size, depth);
}

std::string member_path(Die type, std::uint64_t offset, Depth depth) {
  if (dwarf_tag(&type) == DW_TAG_array_type) return array_path(type, offset, depth);
  if (!dwarf::is_record(type)) return plus(offset);
  if (!dwarf::in_namespace(type, "std"))
    return offset == 0 && depth == Depth::kWhole ? "" : record_path(type, offset, depth);
  // The insides of the standard library are nobody's business, but an array is an array.
  if (!dwarf::name(type).starts_with("array<")) return "";
  const std::string path = record_path(type, offset, depth);
  return path.starts_with("._M_elems") ? path.substr(path.find('[')) : "";
}

// The one operation of a simple location.
std::optional<Dwarf_Op> only_operation(Dwarf_Attribute location, Dwarf_Addr pc) {
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&location, pc, &operations, &count, 1) != 1 || count != 1) return std::nullopt;
  return operations[0];
}

// What variables on the stack are relative to: g++ says the caller's stack pointer, clang a register.
std::optional<std::uintptr_t> frame_base_of(Dwarf_Op operation, const Frame& frame) {
  switch (operation.atom) {
    case DW_OP_call_frame_cfa:
      return frame.caller;
    case DW_OP_reg6:
      return frame.base_pointer;
    case DW_OP_reg7:
      return frame.stack_pointer;
    default:
      return std::nullopt;
  }
}

// Where a variable stands in memory, if it does.
std::optional<std::uintptr_t> place_of(Dwarf_Op operation, const Frame& frame,
                                       std::optional<std::uintptr_t> frame_base) {
  switch (operation.atom) {
    case DW_OP_fbreg:
      return frame_base ? std::optional(*frame_base + operation.number) : std::nullopt;
    case DW_OP_breg6:
      return frame.base_pointer + operation.number;
    case DW_OP_breg7:
      return frame.stack_pointer + operation.number;
    default:
      return std::nullopt;
  }
}

// A variable of this scope that covers the address, with the member.
std::string variable_in(Die scope, std::uintptr_t address, Depth depth, Dwarf_Addr pc, const Frame& frame,
                        std::optional<std::uintptr_t> frame_base) {
  std::string found;
  dwarf::each_child(scope, [&](Die child) {
    const int tag = dwarf_tag(&child);
    if (!found.empty() || (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)) return;
    const auto location = dwarf::attribute(child, DW_AT_location);
    const auto type = dwarf::type(child);
    if (!location || !type) return;
    const auto operation = only_operation(*location, pc);
    const auto at = operation ? place_of(*operation, frame, frame_base) : std::nullopt;
    if (!at || address < *at || address >= *at + dwarf::size_of(*type).value_or(0)) return;
    const std::string name = dwarf::name(dwarf::declaration(child));
    if (!name.empty()) found = name + member_path(*type, address - *at, depth);
  });
  return found;
}

}  // namespace

std::string DebugInfo::variable(std::uintptr_t address, Depth depth) {
  const runtime::FindingWords finding;
  const std::scoped_lock lock(data_->mutex);
  const Data::Global* global = data_->global_at(address - data_->bias);
  if (global == nullptr) return "";
  const std::uintptr_t offset = address - data_->bias - global->address + global->offset;
  return global->name + (global->typed ? member_path(global->type, offset, depth) : plus(offset));
}

std::string DebugInfo::variable(std::uintptr_t address, const Frame& frame, Depth depth) {
  const runtime::FindingWords finding;
  const std::scoped_lock lock(data_->mutex);
  const Dwarf_Addr pc = frame.pc - data_->bias;
  const Data::Function* function = frame.pc == 0 ? nullptr : data_->function_at(pc);
  if (function == nullptr) return "";
  const auto base = dwarf::attribute(function->die, DW_AT_frame_base);
  const auto operation = base ? only_operation(*base, pc) : std::nullopt;
  const auto frame_base = operation ? frame_base_of(*operation, frame) : std::nullopt;
  for (const Die& scope : dwarf::scopes_at(function->die, pc)) {
    if (std::string found = variable_in(scope, address, depth, pc, frame, frame_base); !found.empty())
      return found;
  }
  return "";
}

std::string DebugInfo::member(const void* type_tag, std::size_t offset, Depth depth) {
  const runtime::FindingWords finding;
  const std::scoped_lock lock(data_->mutex);
  const Data::Global* tag = data_->global_at(reinterpret_cast<std::uintptr_t>(type_tag) - data_->bias);
  if (tag == nullptr || !tag->typed) return plus(offset);
  const auto type = dwarf::type(tag->type);  // what the pointer points to
  return type ? member_path(*type, offset, depth) : plus(offset);
}

}  // namespace plumb::engine
