#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace srcextract {

/// Parses arguments from index `first` on. Returns the text that they ask for and nothing else (--help, --version), or
/// an empty text. Throws Error{config} that points to the command's help. An unknown option is reported before any
/// other error, with the nearest known option. A file name with brackets stays one name, and the value of `-o=DIR` is
/// DIR.
std::string parse_arguments(CLI::App& app, int argc, const char* const* argv, int first = 2);

/// Adds an option for a size in memory, as in `--memory 8G`, to a command.
void add_memory_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& memory,
                       const std::string& help);

}  // namespace srcextract
