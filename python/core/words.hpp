#pragma once

#include <string>

namespace srcextract::python {

/// A message as one who called from Python understands it: options of the command are the arguments that do the same,
/// and what was no file has no lines.
std::string in_words_of_python(std::string message);

}  // namespace srcextract::python
