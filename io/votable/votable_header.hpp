#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/votable/votable_field.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {

/// Bytes of text in a TD, the most that is read.
inline constexpr std::size_t longest_cell = std::size_t{1} << 20;

/// What a VOTable says about its first TABLE before the rows.
struct VotableHeader {
  std::vector<VotableField> fields;
  bool has_data = false;  ///< it goes on with the rows; otherwise there is none

  /// Of all fields, in order.
  std::vector<ColumnHead> heads() const;
};

/// Reads up to the first row. SExtractor declares its vectors, FLUX_APER(3), as scalars: those are arrays of the size
/// that they have in the first row. Throws Error{input} if this is no VOTable, has no TABLE, or no column, or two of
/// one name.
VotableHeader read_votable_header(const std::string& path);

/// Reads up to <DATA>, or else to the end of the TABLE.
void skip_votable_header(XmlReader& xml);

}  // namespace srcextract
