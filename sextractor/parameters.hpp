#pragma once

#include <string>
#include <vector>

#include "sextractor/text_file.hpp"

namespace srcextract::sextractor {

/// A column requested in a .param file.
struct Parameter {
  std::string name;
  std::vector<int> sizes;  ///< sizes in brackets, as in FLUX_APER(3) or VIGNET(35,35); empty for a single value
  std::string place;       ///< `file:line`

  /// The column as a line of a .param file.
  std::string text() const;
};

/// Reads a .param file in the same way as SExtractor 2.25:
/// - A line is a column name in capitals, directly followed by sizes in round or square brackets, if any.
/// - Text after a blank is ignored; # begins a comment.
/// - Repeated columns count once.
/// - Unknown columns are ignored and added to `unknown`.
///
/// Calls `on_mistake` for an unknown name that resembles a column or contains characters that no column name has; the
/// name is ignored if `on_mistake` returns. Throws Error{config} that begins with `path:line:` for invalid sizes, and
/// Error{config} if the file cannot be read or names no column.
std::vector<Parameter> read_parameters(const std::string& path, std::vector<UnknownName>& unknown,
                                       const OnMistake& on_mistake = refuse_mistake);

/// The largest first size of the requested columns among `names`, where a column without sizes counts as 1. 0 if no
/// such column is requested.
int most_values(const std::vector<Parameter>& parameters, const std::vector<std::string>& names);

bool asks_for(const std::vector<Parameter>& parameters, const std::string& name);

}  // namespace srcextract::sextractor
