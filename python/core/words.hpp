#pragma once

#include <string>

namespace srcextract::python {

/// Rewrites a message for callers from Python: command options become arguments, and a configuration that is no file
/// has no line numbers.
std::string in_words_of_python(std::string message);

}  // namespace srcextract::python
