#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <plumb/files.hpp>
#include <plumb/version.hpp>

#include "cli/help.hpp"
#include "cli/verbs.hpp"

namespace plumb::cli {
namespace {

// Text as it is: what roff would take for its own is written otherwise.
std::string plain(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      default:
        out += c;
    }
    begins_line = c == '\n';
  }
  return out;
}

std::string option(const OptionRow& row) {
  std::string names(row.names);
  if (const auto comma = names.find(','); comma != std::string::npos) names.replace(comma, 1, ", ");
  const std::string value = row.value.empty() ? "" : fmt::format(" \\fI{}\\fP", plain(row.value));
  return fmt::format(".TP\n\\fB{}\\fP{}\n{}\n", plain(names), value, plain(row.help));
}

std::string verb(const VerbRow& row) {
  std::string name(row.name);
  for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
  std::string out = fmt::format(".SH \"PLUMB {}\"\n.B plumb {}\n[\\fIoptions\\fP] {}\n.PP\n{}\n", name,
                                row.name, plain(row.arguments), plain(row.description));
  out += ".SS Options\n";
  for (const OptionRow& each : option_table()) {
    if (each.belongs_to(bit_of(row.verb))) out += option(each);
  }
  out += ".SS Examples\n";
  for (const Example& example : row.examples)
    out += fmt::format(".TP\n\\fB{}\\fP\n{}\n", plain(example.command), plain(example.meaning));
  return out;
}

}  // namespace

std::string man_page() {
  std::string out = fmt::format(
      ".\\\" Made by 'plumb --man-page' from the tables in src/cli.\n"
      ".TH PLUMB 1 \"\" \"plumb {}\" \"User Commands\"\n"
      ".SH NAME\nplumb \\- is what your system did linearizable?\n"
      ".SH SYNOPSIS\n",
      kVersion);
  for (const VerbRow& row : verb_table())
    out += fmt::format(".B plumb {}\n[\\fIoptions\\fP] {}\n.br\n", row.name, plain(row.arguments));
  out +=
      ".SH DESCRIPTION\n"
      "plumb decides, exactly, whether recorded histories of a concurrent object or a distributed store are\n"
      "linearizable, and explains violations with a small proof. Its library also tests C++ "
      "classes.\n";
  for (const VerbRow& row : verb_table()) out += verb(row);
  out += ".SH FORMATS\n";
  for (const FormatInfo& format : history_formats())
    out += fmt::format(".TP\n\\fB{}\\fP\n{}{}\n", plain(format.name), plain(format.summary),
                       format.can_write ? "" : " (read only)");
  out += ".SH \"EXIT STATUS\"\n";
  for (const ExitStatusRow& each : exit_statuses())
    out += fmt::format(".TP\n\\fB{}\\fP\n{}\n", number_of(each.status), plain(each.meaning));
  return out;
}

}  // namespace plumb::cli
