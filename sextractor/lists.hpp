#pragma once

#include <string>

namespace srcextract::sextractor {

/// SExtractor's default configuration as a text: the keys of `source-extractor -d`, or of `source-extractor -dd` if
/// `all` is true. A comment after each key says what srcextract makes of it.
std::string default_configuration(bool all);

/// All columns of SExtractor as a text, like `source-extractor -dp`: one per line, commented out with #, with
/// description and unit. A column that srcextract does not compute has the reason instead.
std::string list_of_columns();

}  // namespace srcextract::sextractor
