#include "explore/debug_info.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "explore/debug_data.hpp"
#include "runtime/watchdog.hpp"

namespace plumb::engine {
namespace {

using dwarf::Die;

std::uintptr_t load_bias() {
  std::uintptr_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
        return 1;  // only the first object: the program itself
      },
      &bias);
  return bias;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_standard(std::string_view file) {
  return contains(file, "/include/c++/") || contains(file, "/c++/v1/") || contains(file, "/lib/gcc/") ||
         contains(file, "-linux-gnu/c++/") || contains(file, "/lib/llvm-") || contains(file, "/lib/clang/");
}

bool is_engine(std::string_view file, Die function) {
  return contains(file, "/include/plumb/") || contains(file, "/src/runtime/") ||
         dwarf::in_namespace(function, "plumb");
}

// Compilers may note files as they were named to them.
std::string whole_path(Die unit, const char* file) {
  if (file == nullptr) return "";
  const auto folder = dwarf::attribute(unit, DW_AT_comp_dir);
  Dwarf_Attribute from = folder.value_or(Dwarf_Attribute{});
  const char* name = folder ? dwarf_formstring(&from) : nullptr;
  return (std::filesystem::path(name == nullptr ? "" : name) / file).lexically_normal().string();
}

// The file that an attribute of the entry numbers.
std::string file_of(Die unit, Die entry, unsigned attribute) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto index = dwarf::number(entry, attribute);
  if (!index || dwarf_getsrcfiles(&unit, &files, &count) != 0 || *index >= count) return "";
  return whole_path(unit, dwarf_filesrc(files, *index, nullptr, nullptr));
}

// Outwards from the innermost line: each inlined function knows where it was called.
std::vector<DebugInfo::Data::Line> chain(Die function, Dwarf_Addr pc) {
  std::vector<DebugInfo::Data::Line> result;
  Die unit = dwarf::unit_of(function);
  Dwarf_Line* line = dwarf_getsrc_die(&unit, pc);
  int number = 0;
  const char* source = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
  if (source == nullptr || dwarf_lineno(line, &number) != 0) return {};
  std::string file = whole_path(unit, source);
  for (const Die& scope : dwarf::scopes_at(function, pc)) {
    if (!dwarf::is_function(scope)) continue;
    result.push_back(
        {{file, number, dwarf::qualified_name(scope)}, is_standard(file), is_engine(file, scope)});
    file = file_of(unit, scope, DW_AT_call_file);
    number = static_cast<int>(dwarf::number(scope, DW_AT_call_line).value_or(0));
  }
  return result;
}

}  // namespace

DebugInfo::DebugInfo() : data_(std::make_unique<Data>()) {
  data_->bias = load_bias();
  data_->file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  data_->dwarf = data_->file < 0 ? nullptr : dwarf_begin(data_->file, DWARF_C_READ);
  if (data_->dwarf == nullptr) return;
  data_->find_all();
}

DebugInfo::~DebugInfo() {
  if (data_->dwarf != nullptr) dwarf_end(data_->dwarf);
  if (data_->file >= 0) close(data_->file);
}

DebugInfo& DebugInfo::instance() {
  const runtime::FindingWords finding;
  static constinit std::mutex making;
  const std::scoped_lock lock(making);
  static auto* info = new DebugInfo;
  return *info;
}

const std::vector<DebugInfo::Data::Line>& DebugInfo::Data::lines_at(std::uintptr_t pc) {
  const auto [found, added] = lines.try_emplace(pc);
  if (!added) return found->second;
  if (const Function* function = function_at(pc - bias)) found->second = chain(function->die, pc - bias);
  return found->second;
}

std::string DebugInfo::file(const void* pc) {
  const runtime::FindingWords finding;
  const std::scoped_lock lock(data_->mutex);
  const auto& lines = data_->lines_at(reinterpret_cast<std::uintptr_t>(pc) - 1);
  return lines.empty() ? "" : lines.front().place.file;
}

bool DebugInfo::is_within(const void* pc, std::string_view name) {
  const runtime::FindingWords finding;
  const std::scoped_lock lock(data_->mutex);
  const auto& lines = data_->lines_at(reinterpret_cast<std::uintptr_t>(pc) - 1);
  return std::any_of(lines.begin(), lines.end(), [&](const Data::Line& line) {
    return line.place.function.find(name) != std::string::npos;
  });
}

std::vector<SourcePlace> DebugInfo::places(const CallStack& stack, const void* from) {
  const runtime::FindingWords finding;
  const std::scoped_lock lock(data_->mutex);
  // The innermost frames are the engine's; the program begins where `from`, a return address, is.
  std::size_t first = 0;
  const auto called = reinterpret_cast<std::uintptr_t>(from) - 1;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (stack[i].pc == called) first = i;
  }
  std::vector<SourcePlace> result;
  SourcePlace standard;
  for (std::size_t i = first; i < stack.size(); ++i) {
    for (const Data::Line& line : data_->lines_at(stack[i].pc)) {
      if (line.engine || line.place.line == 0) continue;  // 0: of several lines at once
      if (!line.standard) {
        result.push_back(line.place);
      } else if (standard.line == 0) {
        standard = line.place;
      }
    }
  }
  if (result.empty() && standard.line != 0) result.push_back(standard);
  return result;
}

}  // namespace plumb::engine
