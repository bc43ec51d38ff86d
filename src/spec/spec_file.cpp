// Compiling and loading a model. The result is kept under a name made of everything it depends on: the
// source, the headers of plumb, the compiler and the flags; so a name is never wrong, and a file under it
// never changes.
//
// Several processes may do this at once: each compiles into a file of its own and renames it, which is
// atomic.
#include "spec/spec_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/subprocess.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEntry = "plumb_spec_model";
constexpr const char* kInterface = "plumb_spec_interface";
constexpr std::string_view kFlags[] = {"-std=c++20", "-O2", "-fPIC", "-shared"};

Result<std::string> read_text(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return Error{"is a folder; expected a C++ file", {}, path.string()};
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf() || in.peek() == std::ifstream::traits_type::eof())) {
    return Error{"cannot be read; expected a C++ file with a model", {}, path.string()};
  }
  return std::move(text).str();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A hash of texts that is the same in every run and on every machine: it becomes the name of a file.
class Fingerprint {
 public:
  void add(std::string_view text) {
    texts_ += fmt::format("{}:", text.size());  // "ab" + "c" is not "a" + "bc"
    texts_ += text;
  }
  [[nodiscard]] std::string text() const {
    const Hash128 hash = hash128(texts_);
    return fmt::format("{:016x}{:016x}", hash.high, hash.low);
  }

 private:
  std::string texts_;
};

// The headers: where the user says, where this program is installed, or in the source tree it was built from.
Result<fs::path> include_folder() {
  std::vector<fs::path> candidates;
  if (const auto given = environment("PLUMB_INCLUDE_DIR"); !given.empty()) candidates.emplace_back(given);
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (!self.empty()) candidates.push_back(self.parent_path().parent_path() / "include");
#ifdef PLUMB_SOURCE_INCLUDE_DIR
  candidates.emplace_back(PLUMB_SOURCE_INCLUDE_DIR);
#endif
  std::string tried;
  for (const fs::path& folder : candidates) {
    if (fs::exists(folder / "plumb" / "object_model.hpp", ignored)) return folder;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  return Error{
      fmt::format("--spec needs the headers of plumb, which are in none of: {}; set PLUMB_INCLUDE_DIR to the "
                  "folder that holds plumb/object_model.hpp",
                  tried)};
}

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  std::stringstream path(environment("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (access((fs::path(folder.empty() ? "." : folder) / name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// As words: $CXX may hold a launcher or options.
Result<std::vector<std::string>> compiler() {
  std::vector<std::string> candidates = {environment("CXX"), "c++", "g++", "clang++"};
  for (const std::string& candidate : candidates) {
    std::vector<std::string> words;
    std::istringstream in(candidate);
    for (std::string word; in >> word;) words.push_back(word);
    if (!words.empty() && is_program(words[0])) return words;
  }
  return Error{
      "--spec needs a C++ compiler, and none of $CXX, c++, g++ and clang++ is there; install one, e.g. "
      "'apt-get install g++'"};
}

Result<fs::path> cache_folder() {
  std::vector<fs::path> candidates;
  if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty())
    candidates.push_back(fs::path(cache) / "plumb");
  if (const auto home = environment("HOME"); !home.empty())
    candidates.push_back(fs::path(home) / ".cache" / "plumb");
  std::error_code error;
  // Others can write to the temporary folder, and this will be loaded as code: the folder must be ours.
  candidates.push_back(fs::temp_directory_path(error) / fmt::format("plumb-{}", getuid()));
  for (const fs::path& folder : candidates) {
    fs::create_directories(folder, error);
    if (!error) fs::permissions(folder, fs::perms::owner_all, error);
    if (!error && access(folder.c_str(), W_OK) == 0) return folder;
  }
  return Error{fmt::format("no folder to keep compiled models in; tried {}", candidates.back().string())};
}

Result<std::string> fingerprint(const std::string& source, const fs::path& include,
                                const std::vector<std::string>& compiler) {
  Fingerprint print;
  print.add(source);
  for (const std::string& word : compiler) print.add(word);
  std::vector<std::string> version = compiler;
  version.emplace_back("--version");
  print.add(run_program(version).output);
  for (const std::string_view flag : kFlags) print.add(flag);
  std::vector<fs::path> headers;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(include / "plumb", error)) {
    if (entry.is_regular_file(error)) headers.push_back(entry.path());
  }
  std::ranges::sort(headers);
  for (const fs::path& header : headers) {
    auto text = read_text(header);
    if (!text) return text.error();
    print.add(*text);
  }
  return print.text();
}

// The first lines say what is wrong; what follows is mostly the way there.
std::string first_lines(const std::string& text) {
  constexpr int kLines = 12;
  std::istringstream in(text);
  std::string out;
  std::string line;
  for (int i = 0; i < kLines && std::getline(in, line); ++i) out += "\n  " + line;
  return in.peek() == std::istringstream::traits_type::eof() ? out : out + "\n  …";
}

Status compile(const std::string& path, const fs::path& include, const std::vector<std::string>& compiler,
               const fs::path& object) {
  const fs::path mine = object.string() + fmt::format(".{}", getpid());
  std::vector<std::string> command = compiler;
  command.insert(command.end(), std::begin(kFlags), std::end(kFlags));
  // Headers that stand beside the file are found too. Plumb's own by -I: the compiler minds that /usr/include, where a package puts
  // them, has its place behind the C++ library's, and -isystem would take it from there.
  const std::string beside = fs::absolute(path).parent_path().string();
  for (const std::string& word :
       {std::string("-iquote"), beside, std::string("-I"), include.string(), std::string("-x"),
        std::string("c++"), path, std::string("-o"), mine.string()}) {
    command.push_back(word);
  }
  const ProgramResult result = run_program(command);
  std::error_code error;
  if (result.status != 0) {
    fs::remove(mine, error);
    return Error{fmt::format("does not compile ({}):{}", command[0], first_lines(result.output)), {}, path};
  }
  fs::rename(mine, object, error);
  if (error) return Error{fmt::format("{}: {}", object.string(), error.message())};
  return Ok{};
}

Result<std::shared_ptr<const Model>> load(const std::string& path, const fs::path& object) {
  void* library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{fmt::format("cannot be loaded: {}", dlerror()), {}, path};
  void* entry = dlsym(library, kEntry);
  if (entry == nullptr) {
    dlclose(library);
    return Error{"no model in it; expected PLUMB_MODEL(Class, model) { model.operation(…); }", {}, path};
  }
  const void* interface = dlsym(library, kInterface);
  if (interface == nullptr || *static_cast<const unsigned*>(interface) != kModelInterface) {
    return Error{
        "was compiled with the headers of another version of plumb; set PLUMB_INCLUDE_DIR to those of this "
        "one",
        {},
        path};
  }
  try {
    std::shared_ptr<const Model> model(reinterpret_cast<Model* (*)()>(entry)());
    if (model->operations().empty()) {
      return Error{
          fmt::format("the model '{}' has no operations; expected model.operation(…)", model->name()),
          {},
          path};
    }
    return model;
  } catch (const std::exception& e) {
    return Error{fmt::format("PLUMB_MODEL: {}", e.what()), {}, path};
  }
}

}  // namespace

Result<std::shared_ptr<const Model>> load_spec(const std::string& path) {
  const auto source = read_text(path);
  if (!source) return source.error();
  const auto include = include_folder();
  if (!include) return include.error();
  const auto words = compiler();
  if (!words) return words.error();
  const auto folder = cache_folder();
  if (!folder) return folder.error();
  const auto print = fingerprint(*source, *include, *words);
  if (!print) return print.error();
  const fs::path object = *folder / fmt::format("spec-{}.so", *print);
  if (!fs::exists(object)) {
    if (auto status = compile(path, *include, *words, object); !status) return status.error();
  }
  return load(path, object);
}

}  // namespace plumb
