#include "journal/program_head.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/message.hpp"

namespace plumb {
namespace {

void write_texts(const std::vector<std::string>& texts, MessageWriter& to) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> read_texts(MessageReader& from) {
  std::vector<std::string> texts;
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) texts.emplace_back(from.text());
  return texts;
}

}  // namespace

std::string ProgramHead::command() const {
  std::string text = path;
  for (const std::string& word : words) text += " " + word;
  return text;
}

JournalHead ProgramHead::line() const {
  MessageWriter to;
  to.text(kMarkOfTestPrograms).text(path);
  write_texts(words, to);
  write_texts(to_write, to);
  to.text(files);
  return {program, command(), to.take()};
}

std::optional<ProgramHead> ProgramHead::read(const JournalHead& line) {
  MessageReader from(line.data);
  if (from.text() != kMarkOfTestPrograms) return std::nullopt;
  ProgramHead head{.program = line.program};
  head.path = from.text();
  head.words = read_texts(from);
  head.to_write = read_texts(from);
  head.files = from.text();
  return from.ok() && from.at_end() ? std::optional(std::move(head)) : std::nullopt;
}

Status ProgramHead::same_as(const ProgramHead& other, const std::string& file) const {
  const auto refused = [&](const std::string& why) { return Error{why, {}, file}; };
  if (program != other.program)
    return refused(fmt::format("was written by another program: {}; this is {}", other.program, program));
  if (words != other.words)
    return refused(
        fmt::format("was written with other arguments: {}; these are {}", other.command(), command()));
  if (files != other.files) return refused("was written with another content of the file of --against");
  return Ok{};
}

}  // namespace plumb
