#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace srcextract {

/// Parses the arguments with indices `first` and above. Returns the text that the arguments ask for (--help,
/// --version), or an empty text. Throws Error{config} that refers to the command's --help. An unknown option is
/// reported before any other error, with the nearest known option. Unlike in plain CLI11, a file name that begins with
/// a bracket is no list, and `-o=DIR` sets DIR, not "=DIR".
std::string parse_arguments(CLI::App& app, int argc, const char* const* argv, int first = 2);

/// Adds to a command an option whose value is a size in memory, as in `--memory 8G`; converts the size to bytes.
void add_memory_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& memory,
                       const std::string& help);

/// Throws Error{config} if the value of an option for outputs is an address. Else a directory "http:" would be made.
/// `help`: the command whose text the message names.
void require_local(const std::string& option, const std::string& value, const std::string& help);

}  // namespace srcextract
