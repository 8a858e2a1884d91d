#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace srcextract {

/// The arguments in the order in which CLI11 takes them, protected from its list syntax. CLI11 reads a list element in
/// brackets or braces as a list of its own, but a file name is always a file name. The value of `-o=DIR` is DIR. Throws
/// Error{config} for an unknown option, before any other error, with the nearest known option.
std::vector<std::string> protected_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace srcextract
