// CSV text into columns of text: every cell as it stands, every fault with its line.
//
// A cell that starts with a quotation mark runs to the closing one (two in a row are one of the text); in any other
// cell a quotation mark is a character. Records end by a line feed, a carriage return or both; blank lines are no
// records.
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "bindings.hpp"
#include "progress.hpp"
#include "text/text_column.hpp"

namespace shoal {
namespace {

// Why a text is not a table.
enum class Fault : int { none, ragged, unclosed_quote, text_after_quote, huge_cell };
enum class After { cell, record, text };  // what follows a cell: another one, the next record, or nothing

struct Cell {
  std::string_view raw;  // without the quotation marks around it
  bool quoted = false;
  bool doubled = false;  // has quotation marks written twice
};

class Scanner {
 public:
  Scanner(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {
    for (const char c : {delimiter, '\r', '\n'}) ends_cell_[static_cast<unsigned char>(c)] = true;
  }

  // Moves to the next record; false when there is none.
  bool find_record() {
    while (at_ < text_.size() && (text_[at_] == '\r' || text_[at_] == '\n')) skip_line_end();
    return at_ < text_.size();
  }

  After next(Cell& cell) {
    if (at_ < text_.size() && text_[at_] == '"') {
      quoted(cell);
    } else {
      const std::size_t begin = at_;
      while (at_ < text_.size() && !ends_cell_[static_cast<unsigned char>(text_[at_])]) ++at_;
      cell = {text_.substr(begin, at_ - begin), false, false};
    }
    if (at_ == text_.size() || fault != Fault::none) return After::text;
    if (text_[at_] == delimiter_) {
      ++at_;
      return After::cell;
    }
    record_end_ = at_;
    skip_line_end();
    return After::record;
  }

  std::int64_t line() const { return line_; }
  std::size_t record_end() const { return record_end_; }

  Fault fault = Fault::none;
  std::int64_t fault_line = 0;

 private:
  void quoted(Cell& cell) {
    const std::int64_t opened = line_;
    const std::size_t begin = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      if (at_ >= text_.size()) return fail(Fault::unclosed_quote, opened);
      const char c = text_[at_];
      if (c == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        doubled = true;
        ++at_;
      } else if (c == '\n' || (c == '\r' && !(at_ + 1 < text_.size() && text_[at_ + 1] == '\n'))) {
        ++line_;
      }
    }
    cell = {text_.substr(begin, at_ - begin), true, doubled};
    ++at_;
    if (at_ < text_.size() && !ends_cell_[static_cast<unsigned char>(text_[at_])]) fail(Fault::text_after_quote, line_);
  }

  void skip_line_end() {
    at_ += text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
    ++line_;
  }

  void fail(Fault what, std::int64_t where) {
    fault = what;
    fault_line = where;
  }

  std::string_view text_;
  char delimiter_;
  std::size_t at_ = 0;
  std::size_t record_end_ = 0;  // where the line end of the last record stands
  std::int64_t line_ = 1;
  std::array<bool, 256> ends_cell_{};
};

// What the first pass learns, so that the second one can reserve exactly and need not check.
struct Outline {
  std::int64_t width = 0;
  std::int64_t records = 0;  // with the header
  std::size_t header_end = 0;
  Fault fault = Fault::none;
  std::int64_t fault_line = 0;
  std::int64_t fault_width = 0;
  // Record r (0 is the header) starts on line r + 1 + shift, with the last shift whose record is not after r.
  std::vector<std::int64_t> shift_records;
  std::vector<std::int64_t> shifts;
};

Outline outline_of(std::string_view text, char delimiter, Progress& progress) {
  Outline outline;
  Scanner scanner(text, delimiter);
  Cell cell;
  std::int64_t shift = 0;
  while (scanner.find_record()) {
    progress.tick(outline.records);
    const std::int64_t line = scanner.line();
    if (line - outline.records - 1 != shift) {
      shift = line - outline.records - 1;
      outline.shift_records.push_back(outline.records);
      outline.shifts.push_back(shift);
    }
    std::int64_t width = 0;
    After after = After::cell;
    while (after == After::cell) {
      after = scanner.next(cell);
      ++width;
      if (cell.raw.size() > max_cell) scanner.fault = Fault::huge_cell, scanner.fault_line = line;
    }
    if (scanner.fault == Fault::none && outline.records > 0 && width != outline.width) {
      scanner.fault = Fault::ragged;
      scanner.fault_line = line;
      outline.fault_width = width;
    }
    if (scanner.fault != Fault::none) break;
    if (outline.records == 0) outline.width = width, outline.header_end = scanner.record_end();
    ++outline.records;
  }
  outline.fault = scanner.fault;
  outline.fault_line = scanner.fault_line;
  return outline;
}

std::vector<TextColumn> columns_of(std::string_view text, char delimiter, const Outline& outline, Progress& progress) {
  std::vector<TextBuilder> builders;
  for (std::int64_t i = 0; i < outline.width; ++i) builders.emplace_back(static_cast<std::size_t>(outline.records));
  Scanner scanner(text, delimiter);
  Cell cell;
  std::string plain;
  for (std::int64_t record = 0; scanner.find_record(); ++record) {
    progress.tick(record);
    for (TextBuilder& builder : builders) {
      scanner.next(cell);
      if (cell.raw.empty() && !cell.quoted) {
        builder.add_missing();
      } else if (cell.doubled) {
        plain.clear();
        for (std::size_t i = 0; i < cell.raw.size(); ++i) {
          plain.push_back(cell.raw[i]);
          if (cell.raw[i] == '"') ++i;
        }
        builder.add(plain);
      } else {
        builder.add(cell.raw);
      }
    }
  }
  std::vector<TextColumn> columns;
  for (TextBuilder& builder : builders) columns.push_back(std::move(builder).finish());
  return columns;
}

nb::dict cut_csv(nb::bytes text, char delimiter) {
  const std::string_view view(text.c_str(), text.size());
  Progress progress(nb::none(), 0);
  Outline outline;
  std::vector<TextColumn> columns;
  {
    nb::gil_scoped_release release;
    outline = outline_of(view, delimiter, progress);
    if (outline.fault == Fault::none) columns = columns_of(view, delimiter, outline, progress);
  }
  nb::dict result;
  result["fault"] = outline.fault;
  result["fault_line"] = outline.fault_line;
  result["fault_width"] = outline.fault_width;
  result["width"] = outline.width;
  result["header_end"] = outline.header_end;
  result["columns"] = std::move(columns);
  result["shift_records"] = to_numpy(std::move(outline.shift_records));
  result["shifts"] = to_numpy(std::move(outline.shifts));
  return result;
}

}  // namespace

void bind_csv(nb::module_& module) {
  bind_text_column(module);
  nb::enum_<Fault>(module, "CsvFault", nb::is_arithmetic(), "Why a text is not a table; `none` is false.")
      .value("none", Fault::none)
      .value("ragged", Fault::ragged)
      .value("unclosed_quote", Fault::unclosed_quote)
      .value("text_after_quote", Fault::text_after_quote)
      .value("huge_cell", Fault::huge_cell);
  module.def("cut_csv", &cut_csv, nb::arg("text"), nb::arg("delimiter"));
}

}  // namespace shoal
