#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace srcextract {

/// Whether a file is a named pipe (FIFO). open() of such a file waits for another process, perhaps forever. A pipe
/// without a name, as a shell makes for <(command), is open already, and is none.
bool is_named_pipe(const std::string& path);

/// Reads a named pipe to its end, or until `most` bytes came. Nothing if no process begins to write within a second, or
/// if reading fails.
std::optional<std::string> read_named_pipe(const std::string& path, std::size_t most);

/// Whether another process reads a named pipe, or begins to within a second. The pipe then stays open for writing until
/// this process ends; if it was closed, the reader would take that for the end.
bool open_to_reader(const std::string& path);

}  // namespace srcextract
