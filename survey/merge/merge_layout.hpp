#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "io/tables/stored_table.hpp"

namespace srcextract {

/// How a row of a catalogue becomes one of the survey catalogue.
struct RowPlan {
  struct Piece {
    std::size_t from, to, bytes;
  };
  std::vector<Piece> pieces;          ///< to copy
  std::vector<std::byte> blank;       ///< a row with NaN in the columns that the catalogue does not have
  std::size_t catalog_row_bytes = 0;  ///< of the catalogue
};

/// The columns of a joined catalogue: `first`, and then those that any of the catalogues has, in their order.
class SurveyLayout {
 public:
  explicit SurveyLayout(std::vector<StoredColumn> first);

  /// Adds the columns of the catalogue at `path`, and returns the number of this arrangement of columns, which most
  /// catalogues of a survey share. Throws Error{config} that names both files if a column is of another type in
  /// another catalogue.
  std::size_t add(const StoredTable& catalog, const std::string& path);

  /// All columns that were added. One that has different units in different catalogues has none.
  std::vector<StoredColumn> columns() const;

  /// Says which those are, of catalogues that are those of `whose`; empty if there are none.
  std::string describe_mixed_units(const std::string& whose) const;

  std::size_t arrangements() const { return arrangements_.size(); }

  /// The columns of an arrangement.
  const std::vector<StoredColumn>& arrangement(std::size_t number) const { return arrangements_[number].columns; }

  /// For each arrangement, when all are added. Throws Error{config} that names two files if one lacks a column of
  /// integers or text, in which nothing could say so.
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
