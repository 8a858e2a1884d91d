#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace srcextract {

/// The arguments in the order in which CLI11 takes them, safe from its own ideas: it reads an element of a list in
/// brackets or braces as a list of its own, but a file name is only ever a file name; and the value of `-o=DIR` is DIR.
/// Throws Error{config} for an option that there is none of, whatever else is wrong, with the nearest.
std::vector<std::string> protected_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace srcextract
