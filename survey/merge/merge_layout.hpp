#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "io/tables/stored_table.hpp"

namespace srcextract {

/// How to convert a row of a catalogue to a row of the survey catalogue.
struct RowPlan {
  struct Piece {
    std::size_t from, to, bytes;
  };
  std::vector<Piece> pieces;          ///< byte ranges to copy
  std::vector<std::byte> blank;       ///< a row of the survey catalogue with NaN in columns that the catalogue lacks
  std::size_t catalog_row_bytes = 0;  ///< of the catalogue
};

/// Collects the columns of a joined catalogue: `first`, then the columns of all added catalogues, in the order in which
/// they first appear.
class SurveyLayout {
 public:
  explicit SurveyLayout(std::vector<StoredColumn> first);

  /// Adds the columns of the catalogue at `path`, and returns the number of its arrangement of columns, which most
  /// catalogues of a survey share. A text column becomes as wide as its widest text. Throws Error{config} that names
  /// both files if a column has another type in another catalogue.
  std::size_t add(const StoredTable& catalog, const std::string& path);

  /// All added columns. A column with different units in different catalogues has no unit.
  std::vector<StoredColumn> columns() const;

  /// A message about columns with different units; `whose` names the catalogues. Empty if there are none.
  std::string describe_mixed_units(const std::string& whose) const;

  std::size_t arrangements() const { return arrangements_.size(); }

  /// The columns of an arrangement.
  const std::vector<StoredColumn>& arrangement(std::size_t number) const { return arrangements_[number].columns; }

  /// Makes a plan for each arrangement; call it after all catalogues are added. Throws Error{config} that names two
  /// files if one lacks a column of integers or text, which cannot hold NaN.
  std::vector<RowPlan> plans() const;

 private:
  struct Arrangement {
    std::vector<StoredColumn> columns;
    std::string path;  ///< the first catalogue that has it
  };
  struct SurveyColumn {
    StoredColumn stored;
    std::string path;             ///< the first catalogue that has it
    std::set<std::string> units;  ///< in all catalogues
  };
  void add_column(const StoredColumn& column, const std::string& path);
  RowPlan plan(const Arrangement& arrangement) const;

  std::vector<SurveyColumn> columns_;
  std::vector<Arrangement> arrangements_;
};

}  // namespace srcextract
