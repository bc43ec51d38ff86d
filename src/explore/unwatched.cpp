#include "explore/unwatched.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumb::engine {
namespace {

// Names without what follows ".so"; frameworks of tests are among them. What these do to the program's memory is seen where src/runtime stands in their place.
constexpr std::array<std::string_view, 27> kKnown{
    "linux-vdso",  "ld-linux-x86-64", "libc",          "libm",      "libpthread",    "libdl",     "librt",
    "libresolv",   "libstdc++",       "libgcc_s",      "libatomic", "libc++",        "libc++abi", "libunwind",
    "libdw",       "libelf",          "libz",          "liblzma",   "libbz2",        "libzstd",   "libfmt",
    "libsimdjson", "libgtest",        "libgtest_main", "libgmock",  "libgmock_main", "libCatch2"};

bool known(std::string_view file) {
  const std::string_view name = file.substr(0, file.find(".so"));
  return name.starts_with("libabsl_") || std::ranges::find(kKnown, name) != kKnown.end();
}

// What the loader knows of a library. Of the symbols only those matter that it takes from others.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::size_t end = 0;

  explicit Imports(const dl_phdr_info& library);
  [[nodiscard]] bool has_hooks() const {
    for (std::size_t i = 1; i < end; ++i) {
      if (std::string_view(names + symbols[i].st_name).starts_with("__tsan_")) return true;
    }
    return false;
  }
};

const ElfW(Dyn) * dynamic_section(const dl_phdr_info& library) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr);
  }
  return nullptr;
}

Imports::Imports(const dl_phdr_info& library) {
  const auto* entry = dynamic_section(library);
  if (entry == nullptr) return;
  for (; entry->d_tag != DT_NULL; ++entry) {
    // glibc has made addresses of them.
    const auto* words = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(words);
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(words);
    // The number of all symbols; the first that is not imported: those come in front.
    if (entry->d_tag == DT_HASH || (entry->d_tag == DT_GNU_HASH && end == 0)) end = words[1];
  }
  if (symbols == nullptr || names == nullptr) end = 0;
}

int visit(dl_phdr_info* library, std::size_t /*size*/, void* into) {
  const std::string_view path = library->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (!file.empty() && !known(file) && !Imports(*library).has_hooks())  // the program itself has no name
    static_cast<std::vector<std::string>*>(into)->emplace_back(file);
  return 0;
}

}  // namespace

std::vector<std::string> unwatched_libraries() {
  std::vector<std::string> libraries;
  dl_iterate_phdr(visit, &libraries);
  return libraries;
}

std::string unwatched_library_at(const void* pc) {
  Dl_info found{};
  if (dladdr(pc, &found) == 0 || found.dli_fname == nullptr) return {};
  const std::string_view path = found.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::vector<std::string> libraries = unwatched_libraries();
  return std::ranges::find(libraries, name) == libraries.end() ? std::string() : std::string(name);
}

std::string unwatched_text(const std::vector<std::string>& libraries) {
  if (libraries.empty()) return {};
  return fmt::format(
      "not watched: {} (compiled without the hooks, -fsanitize=thread): what {} code does happens along with "
      "the step before it\n",
      fmt::join(libraries, ", "), libraries.size() == 1 ? "its" : "their");
}

}  // namespace plumb::engine
