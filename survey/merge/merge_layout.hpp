#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "io/tables/stored_table.hpp"

namespace srcextract {

/// How a row of a catalogue is converted to a row of the survey catalogue.
struct RowPlan {
  struct Piece {
    std::size_t from, to, bytes;
  };
  std::vector<Piece> pieces;          ///< byte ranges to copy from the catalogue's row to the survey's row
  std::vector<std::byte> blank;       ///< a row of the survey catalogue, zeros except for NaN in columns that the
                                      ///< catalogue lacks
  std::size_t catalog_row_bytes = 0;  ///< length of the catalogue's rows
};

/// Collects the columns of a joined catalogue. The joined catalogue has the columns `first`, and then the columns of
/// all added catalogues in the order in which they first appear.
class SurveyLayout {
 public:
  explicit SurveyLayout(std::vector<StoredColumn> first);

  /// Adds the columns of the catalogue at `path`. Returns the index of its arrangement (sequence of columns); most
  /// catalogues of a survey share one arrangement. A text column becomes as wide as the widest of its kind. Throws
  /// Error{config}, with the names of both files, if a column has different types in two catalogues.
  std::size_t add(const StoredTable& catalog, const std::string& path);

  /// All columns of the joined catalogue. A column that has different units in different catalogues gets no unit.
  std::vector<StoredColumn> columns() const;

  /// A message about columns that have different units in different catalogues; empty if there are none. `whose` names
  /// the owners of the catalogues, as in "the images".
  std::string describe_mixed_units(const std::string& whose) const;

  std::size_t arrangements() const { return arrangements_.size(); }

  const std::vector<StoredColumn>& arrangement(std::size_t number) const { return arrangements_[number].columns; }

  /// Makes a plan for each arrangement; to be called after all catalogues were added. A column that an arrangement
  /// lacks becomes NaN. Throws Error{config}, with the names of two files, if that column has integers or text, which
  /// cannot be NaN.
  std::vector<RowPlan> plans() const;

 private:
  struct Arrangement {
    std::vector<StoredColumn> columns;
    std::string path;  ///< path of the first catalogue that has it
  };
  struct SurveyColumn {
    StoredColumn stored;
    std::string path;             ///< path of the first catalogue that has it
    std::set<std::string> units;  ///< all units of the column in the catalogues
  };
  void add_column(const StoredColumn& column, const std::string& path);
  RowPlan plan(const Arrangement& arrangement) const;

  std::vector<SurveyColumn> columns_;
  std::vector<Arrangement> arrangements_;
};

}  // namespace srcextract
