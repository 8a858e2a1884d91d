#pragma once

#include <string>

namespace srcextract::sextractor {

/// A configuration of SExtractor's with its defaults, as `source-extractor -d` prints it, and `-dd` all of it: each key
/// with a comment that says what it is here.
std::string default_configuration(bool all);

/// All columns, as `source-extractor -dp` lists them: each after a #, which is to be taken away, with its description
/// and unit, or, where it is not computed here, with the reason.
std::string list_of_columns();

}  // namespace srcextract::sextractor
