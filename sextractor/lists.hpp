#pragma once

#include <string>

namespace srcextract::sextractor {

/// SExtractor's default configuration, as `source-extractor -d` prints it, or with `all` as `-dd` does. A comment after
/// each key explains its meaning here.
std::string default_configuration(bool all);

/// All columns, as `source-extractor -dp` lists them: each commented out with #, with description and unit. A column
/// that is not computed here has the reason instead.
std::string list_of_columns();

}  // namespace srcextract::sextractor
