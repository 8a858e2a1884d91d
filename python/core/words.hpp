#pragma once

#include <string>

namespace srcextract::python {

/// Rewrites a message for callers from Python. Command options become Python arguments; line numbers are removed from
/// messages about a configuration that was not read from a file.
std::string in_words_of_python(std::string message);

}  // namespace srcextract::python
