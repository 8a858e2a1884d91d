#pragma once

#include <string>

namespace srcextract {

/// Results go to stdout, and nothing else does. Throws Error{output}.
void print_result(const std::string& text);

}  // namespace srcextract
