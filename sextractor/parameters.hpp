#pragma once

#include <string>
#include <vector>

#include "sextractor/text_file.hpp"

namespace srcextract::sextractor {

/// A column requested in a .param file.
struct Parameter {
  std::string name;
  std::vector<int> sizes;  ///< sizes, as in FLUX_APER(3), VIGNET(35,35); empty for a single value
  std::string place;       ///< `file:line`

  /// The column as a line of a file.
  std::string text() const;
};

/// Reads a .param file as SExtractor 2.25 does:
/// - A line is a column name in capitals, directly followed by its sizes in round or square brackets.
/// - Text after a blank is ignored; # begins a comment.
/// - Repeated columns count once.
/// - Names unknown to SExtractor are skipped and added to `unknown`.
///
/// Calls `on_mistake` for a misspelt or impossible name, and passes over it if that returns. Throws Error{config} that
/// begins `path:line:` for invalid sizes, and if no column is left.
std::vector<Parameter> read_parameters(const std::string& path, std::vector<UnknownName>& unknown,
                                       const OnMistake& on_mistake = refuse_mistake);

/// The largest first size of those requested columns that `names` lists; 1 for a column without sizes, 0 if none is
/// requested.
int most_values(const std::vector<Parameter>& parameters, const std::vector<std::string>& names);

bool asks_for(const std::vector<Parameter>& parameters, const std::string& name);

}  // namespace srcextract::sextractor
