#include "survey/inputs/foreign_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "io/tables/text_fields.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// Whether two words are equal or differ by one inserted, missing or wrong letter, or by two swapped neighbours. The
/// function `nearest` accepts more differences, as it assumes that one of the known words is meant; it would take the
/// column `date` for `path`.
bool differ_by_a_slip(std::string_view a, std::string_view b) {
  const auto front = std::ranges::mismatch(a, b);
  a.remove_prefix(static_cast<std::size_t>(front.in1 - a.begin()));
  b.remove_prefix(static_cast<std::size_t>(front.in2 - b.begin()));
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() <= 1 && b.size() <= 1) return true;
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

/// The known word of which `word` is probably a misspelling; empty if there is none.
std::string meant_of(const std::string& word, const std::vector<std::string>& known) {
  const std::string letters = in_small_letters(word);
  const auto found = std::ranges::find_if(known, [&](const auto& name) { return differ_by_a_slip(letters, name); });
  return found == known.end() ? "" : *found;
}

std::string problem_of_mark(const std::string& column, std::size_t mark) {
  const std::string meant = meant_of(column.substr(0, mark), {"detect", "reference", "band"});
  const std::string problem = "column '" + column + "' means nothing";
  if (!meant.empty()) return problem + "; did you mean '" + meant + column.substr(mark) + "'?";
  return problem +
         ": a ':' is for 'detect:section.key', 'reference:section.key', 'band:NAME' and 'band:NAME:section.key'; give "
         "it another name";
}

}  // namespace

std::string problem_of_foreign_column(const std::string& column, const config::Fields& keys) {
  if (const std::size_t mark = column.find(':'); mark != column.npos) return problem_of_mark(column, mark);
  if (const std::string known = meant_of(column, {"path", "name", "detect", "positions", "reference"}); !known.empty())
    return "column '" + column + "' means nothing; write '" + known +
           "' if that is meant, and give it another name if not";
  if (column == "extends")
    return "column 'extends' means nothing: all images of a run have one CONFIG, which says what it extends; give "
           "columns for single keys, such as 'detection.threshold'";
  // Common columns of file lists; the key of the same name in the configuration is not meant.
  if (column == "file" || column == "files" || column == "size") return "";
  std::string meant;
  for (const config::Field& field : keys)
    if (field.key == column) meant += (meant.empty() ? "" : " or ") + field.path();
  if (meant.empty()) return "";
  return "column '" + column + "' is no key of the configuration; write " + meant +
         " if that is meant, and give it another name if not";
}

std::string describe_foreign_columns(const std::vector<std::string>& columns) {
  if (columns.empty()) return "";
  return "columns that mean nothing here are left alone: " +
         first_few(columns.size(), [&](std::size_t i) { return shown(columns[i]); });
}

}  // namespace srcextract
