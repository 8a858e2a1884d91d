#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/votable/votable_field.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {

/// Most bytes of text in a TD.
inline constexpr std::size_t longest_cell = std::size_t{1} << 20;

/// Declarations of the first TABLE of a VOTable.
struct VotableHeader {
  std::vector<VotableField> fields;
  bool has_data = false;  ///< true if rows follow

  /// Column heads of all fields, in order.
  std::vector<ColumnHead> heads() const;
};

/// Reads the header and the first row. SExtractor declares its vectors, such as FLUX_APER(3), as scalars; they become
/// arrays of the size found in the first row. Throws Error{input} if the file is no VOTable, has no TABLE or no column,
/// or has two columns of one name.
VotableHeader read_votable_header(const std::string& path);

/// Reads up to <DATA>, or to the end of a TABLE without it.
void skip_votable_header(XmlReader& xml);

}  // namespace srcextract
