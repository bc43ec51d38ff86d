// The rows of comma-separated values (RFC 4180): cells in quotes may hold separators, line ends, and quotes written twice. Blank lines
// are passed over; a line that begins with # is a row of its own, a comment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

#include "history/text.hpp"

namespace plumb {

struct CsvCell {
  std::string text;          // without quotes; blanks around it are kept only inside quotes
  const char* at = nullptr;  // where it begins
};

struct CsvRow {
  std::vector<CsvCell> cells;
  std::string_view comment;  // of a comment: the text after the #
  const char* at = nullptr;
  bool is_comment = false;
};

class CsvRows {
 public:
  explicit CsvRows(std::string_view text) : rest_(text), places_(text) {}

  // The next row; false at the end of the text.
  Result<bool> next(CsvRow& row);
  // What a comment would be as a row, from its # on; an error where it would be none.
  [[nodiscard]] Result<CsvRow> cells_of_comment(const CsvRow& comment) const;
  [[nodiscard]] Place place(const char* at) { return places_.at(at); }

 private:
  Status cells(CsvRow& row);
  [[nodiscard]] bool at_line_end() const { return rest_.empty() || rest_.front() == '\n'; }
  void skip_blanks();
  void find_separator();
  Status cell(CsvCell& cell);
  Status quoted(CsvCell& cell);

  std::string_view rest_;
  PlaceTracker places_;
  char separator_ = '\0';  // not known before the first row
};

// A text as a cell of a row with commas.
void append_csv_cell(std::string_view text, std::string& out);

}  // namespace plumb
