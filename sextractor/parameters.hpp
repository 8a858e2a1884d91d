#pragma once

#include <string>
#include <vector>

#include "sextractor/text_file.hpp"

namespace srcextract::sextractor {

/// A column that a .param file asks for.
struct Parameter {
  std::string name;
  std::vector<int> sizes;  ///< of FLUX_APER(3), VIGNET(35,35); none of a column of one value
  std::string place;       ///< `file:line`

  /// As it would stand in a file.
  std::string text() const;
};

/// Reads a .param file as SExtractor 2.25 does: a line is the name of a column, in capitals, and its sizes in round or
/// square brackets right after it; what follows a blank is not looked at, and # begins a comment. A column that comes
/// twice is there once. A name that SExtractor has no column of is passed over as there, and put into `unknown`. Throws
/// Error{config} that begins `path:line:` for a name that is much like a column or can be no name of one, or for sizes
/// that are none; and if no column is left.
std::vector<Parameter> read_parameters(const std::string& path, std::vector<UnknownName>& unknown);

/// How much of a column of several values is asked for: the largest first size of these columns, 1 of one without;
/// 0 if none of them is there.
int most_values(const std::vector<Parameter>& parameters, const std::vector<std::string>& names);

bool asks_for(const std::vector<Parameter>& parameters, const std::string& name);

}  // namespace srcextract::sextractor
