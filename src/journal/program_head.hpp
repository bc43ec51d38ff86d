// The first line of a test program's journal: which program, and what it was told, as far as it must not be different where its
// pieces are used. 'plumb merge' knows from it whom to ask: only the program itself can say what its scenarios come to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

#include "journal/journal.hpp"

namespace plumb {

// Stands in such a line, and so in the file of every test program: nothing else is ever run because a journal names it.
inline constexpr std::string_view kMarkOfTestPrograms = "plumb test program that merges its journals, form 1";

struct ProgramHead {
  std::string program = {};                // which one, and a hash of it
  std::string path = {};                   // where it was
  std::vector<std::string> words = {};     // options, without those that have no say in what is found out
  std::vector<std::string> to_write = {};  // options with the files that are written at the end
  std::string files = {};                  // a hash of what is read besides

  [[nodiscard]] JournalHead line() const;
  // Nothing: it is not that of a test program.
  [[nodiscard]] static std::optional<ProgramHead> read(const JournalHead& line);

  [[nodiscard]] std::string command() const;
  // What is different in the other run, which is that of this file; an error says it.
  [[nodiscard]] Status same_as(const ProgramHead& other, const std::string& file) const;
};

}  // namespace plumb
