#include "cli/merge_by_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/file_io.hpp"

namespace plumb::cli {
namespace {

// The line for it, where it is not at hand.
std::string by_hand(const ProgramHead& head) {
  return fmt::format("; where it is: {} --merge JOURNAL --merge JOURNAL …", head.command());
}

Status is_the_program(const ProgramHead& head) {
  const auto program = InputFile::open(head.path);
  if (!program || !program->is_mapped())
    return Error{
        fmt::format("the program that wrote the journal is not here: {}{}", head.path, by_hand(head))};
  const auto hash = content_hash(head.path);
  const bool is_same = hash && head.program.ends_with(fmt::format("({})", *hash));
  if (!is_same)
    return Error{fmt::format("{} is not the program that wrote the journal, {}{}", head.path, head.program,
                             by_hand(head))};
  if (program->mapped().find(kMarkOfTestPrograms) == std::string_view::npos)
    return Error{fmt::format("{} is no test program of plumb, and is not run", head.path)};
  return Ok{};
}

}  // namespace

Error merge_by_program(const ProgramHead& head, const std::vector<std::string>& journals,
                       const Options& options) {
  if (!options.certificate.empty()) return Error{"--certificate: test programs have none"};
  if (const auto found = is_the_program(head); !found) return found.error();
  std::vector<std::string> words = {head.path};
  words.insert(words.end(), head.words.begin(), head.words.end());
  words.insert(words.end(), head.to_write.begin(), head.to_write.end());
  for (const std::string& journal : journals) words.push_back("--merge=" + journal);
  if (!options.report.empty()) words.push_back("--report=" + options.report);
  if (!options.junit.empty()) words.push_back("--junit=" + options.junit);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(head.path.c_str(), pointers.data());
  return Error{fmt::format("{} cannot be run: {}", head.path, std::strerror(errno))};
}

}  // namespace plumb::cli
