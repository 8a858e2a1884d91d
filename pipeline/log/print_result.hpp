#pragma once

#include <string>

namespace srcextract {

/// Prints a result on stdout, which is for results alone. Throws Error{output}.
void print_result(const std::string& text);

}  // namespace srcextract
