#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace srcextract {

/// Adds `--memory SIZE`, as in 8G, to a command.
void add_memory_option(CLI::App& app, std::optional<std::int64_t>& memory, const std::string& help);

/// Throws Error{config} if `memory` is 0 or less; `help` is the command that the message points to.
void require_some_memory(const std::optional<std::int64_t>& memory, const std::string& help);

}  // namespace srcextract
