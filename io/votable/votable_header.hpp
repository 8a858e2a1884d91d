#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/votable/votable_field.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {

/// Largest number of bytes of text in a TD element.
inline constexpr std::size_t longest_cell = std::size_t{1} << 20;

/// Contents of the header of the first TABLE in a VOTable.
struct VotableHeader {
  std::vector<VotableField> fields;
  bool has_data = false;  ///< true if the TABLE has rows (a DATA element)

  /// Returns the descriptions of the columns of all fields, in order.
  std::vector<ColumnHead> heads() const;
};

/// Reads the header and, of TABLEDATA, the first row. SExtractor declares its vectors, such as FLUX_APER(3), as single
/// values; such fields become arrays as long as in the first row. Throws Error{input} if the file is no VOTable, has no
/// TABLE, has no column, or has two columns of the same name.
VotableHeader read_votable_header(const std::string& path);

/// Reads up to <DATA>, or up to the end of a TABLE without DATA.
void skip_votable_header(XmlReader& xml);

}  // namespace srcextract
