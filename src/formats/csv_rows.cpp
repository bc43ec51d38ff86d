#include "formats/csv_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plumb {

Result<bool> CsvRows::next(CsvRow& row) {
  row = {};
  while (!rest_.empty() && trim(rest_.substr(0, rest_.find('\n'))).empty())
    rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
  if (rest_.empty()) return false;
  row.at = rest_.data();
  if (rest_.front() == '#') {
    row.is_comment = true;
    row.comment = rest_.substr(1, rest_.find('\n') - 1);
    rest_.remove_prefix(row.comment.size() + 1);
    return true;
  }
  if (separator_ == '\0') find_separator();
  if (auto status = cells(row); !status) return status.error();
  if (!rest_.empty()) rest_.remove_prefix(1);
  return true;
}

Status CsvRows::cells(CsvRow& row) {
  while (true) {
    if (auto status = cell(row.cells.emplace_back()); !status) return status;
    if (at_line_end()) return Ok{};
    rest_.remove_prefix(1);  // the separator
  }
}

Result<CsvRow> CsvRows::cells_of_comment(const CsvRow& comment) const {
  CsvRows line({comment.at, comment.comment.size() + 1});
  line.separator_ = separator_;
  CsvRow row;
  row.at = comment.at;
  if (auto status = line.cells(row); !status) return status.error();
  return row;
}

void CsvRows::skip_blanks() {
  while (!at_line_end() && rest_.front() != separator_ && is_blank(rest_.front())) rest_.remove_prefix(1);
}

// The one that the first row has most of.
void CsvRows::find_separator() {
  const std::string_view line = rest_.substr(0, rest_.find('\n'));
  separator_ = ',';
  for (const char c : {';', '\t'}) {
    if (std::ranges::count(line, c) > std::ranges::count(line, separator_)) separator_ = c;
  }
}

Status CsvRows::cell(CsvCell& cell) {
  skip_blanks();
  cell.at = rest_.data();
  if (!rest_.empty() && rest_.front() == '"') return quoted(cell);
  std::size_t size = 0;
  for (; size < rest_.size() && rest_[size] != '\n' && rest_[size] != separator_; ++size) {
    if (rest_[size] == '"') {
      return Error{
          "a quote inside a cell without quotes; expected the whole cell in quotes, and its own quotes twice",
          place(rest_.data() + size)};
    }
  }
  cell.text = trim(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return Ok{};
}

Status CsvRows::quoted(CsvCell& cell) {
  rest_.remove_prefix(1);
  while (true) {
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return Error{"a cell whose quotes do not end", place(cell.at)};
    cell.text += rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (rest_.empty() || rest_.front() != '"') break;
    cell.text += '"';
    rest_.remove_prefix(1);
  }
  skip_blanks();
  if (at_line_end() || rest_.front() == separator_) return Ok{};
  return Error{fmt::format("{} after the quotes of a cell; expected the next cell", shown(rest_.front())),
               place(rest_.data())};
}

void append_csv_cell(std::string_view text, std::string& out) {
  const bool plain = text.find_first_of("\",;\t\r\n#") == std::string_view::npos && trim(text) == text;
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

}  // namespace plumb
