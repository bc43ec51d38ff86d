#include "cli/completions.hpp"

#include <fmt/format.h>

#include "cli/verbs.hpp"

namespace plumb::cli {
namespace {

std::string verbs_and_options() {
  return fmt::format("{} help --help --version", fmt::join(verb_names(), " "));
}

// "-m|--model", as a shell's case has it.
std::string pattern(const OptionRow& row) {
  std::string names(row.names);
  if (const auto comma = names.find(','); comma != std::string::npos) names[comma] = '|';
  return names;
}

std::string names_of(const VerbRow& verb) {
  std::string out = "--help";
  for (const OptionRow& row : option_table()) {
    if (row.belongs_to(bit_of(verb.verb))) out += fmt::format(" {}", row.long_name());
  }
  return out;
}

// Within quotes and brackets of _arguments.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':') {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_argument(const OptionRow& row) {
  const std::string names(row.names);
  const auto comma = names.find(',');
  const std::string both =
      comma == std::string::npos
          ? fmt::format("'{}", names)
          : fmt::format("'({0} {1})'{{{0},{1}}}'", names.substr(0, comma), names.substr(comma + 1));
  if (row.value.empty()) return fmt::format("{}[{}]'", both, quoted(row.help));
  const std::string action =
      row.choices != nullptr ? fmt::format("({})", fmt::join(row.choices(), " ")) : "_files";
  return fmt::format("{}[{}]:{}:{}'", both, quoted(row.help), quoted(row.value), action);
}

}  // namespace

std::string bash_completion() {
  std::string out = fmt::format(
      "# bash completion for plumb; made by 'plumb --completion bash'\n"
      "_plumb() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n",
      verbs_and_options());
  for (const VerbRow& verb : verb_table()) {
    out += fmt::format("    {})\n      words='{}'\n      case $before in\n", verb.name, names_of(verb));
    for (const OptionRow& row : option_table()) {
      if (!row.belongs_to(bit_of(verb.verb)) || row.choices == nullptr) continue;
      out += fmt::format("        {}) current=\" $current\" words='{}' ;;\n", pattern(row),
                         fmt::join(row.choices(), " "));
    }
    out += "      esac ;;\n";
  }
  return out + fmt::format(
                   "    help) current=\" $current\" words='{}' ;;\n"
                   "  esac\n"
                   "  # A space before the word: what must come is one of the words. Otherwise a file, "
                   "unless it begins with -.\n"
                   "  if [[ $current == ' '* || $current == -* ]]; then\n"
                   "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${{current# }}\")\n"
                   "  else\n"
                   "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                   "  fi\n"
                   "}}\n"
                   "complete -o filenames -F _plumb plumb\n",
                   fmt::join(verb_names(), " "));
}

std::string zsh_completion() {
  std::string out =
      "#compdef plumb\n"
      "# zsh completion for plumb; made by 'plumb --completion zsh'\n"
      "local -a verbs=(\n";
  for (const VerbRow& verb : verb_table()) out += fmt::format("  '{}:{}'\n", verb.name, quoted(verb.summary));
  out +=
      ")\n"
      "if ((CURRENT == 2)); then\n"
      "  _describe verb verbs\n"
      "  return\n"
      "fi\n"
      "case $words[2] in\n"
      "  help) _describe verb verbs; return ;;\n";
  for (const VerbRow& verb : verb_table()) {
    out += fmt::format("  {})\n    shift words; ((CURRENT--))\n    _arguments \\\n", verb.name);
    for (const OptionRow& row : option_table()) {
      if (row.belongs_to(bit_of(verb.verb))) out += fmt::format("      {} \\\n", zsh_argument(row));
    }
    out += "      '*:file:_files' ;;\n";
  }
  return out + "esac\n";
}

}  // namespace plumb::cli
