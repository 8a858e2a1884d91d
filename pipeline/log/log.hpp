#pragma once

#include <string>

namespace srcextract {

enum class Verbosity { quiet, normal, verbose };

/// Sends the log to stderr, where it belongs: stdout is for results. For use before the options are known.
void log_to_stderr();

/// Sets what is logged to stderr, and adds `file` (appended to, with dates, and never with less than `normal` logs)
/// unless it is empty. With `progress`, a line of the log on the terminal takes the place of the progress line. Throws
/// Error{output} if the file cannot be opened.
void configure_log(Verbosity verbosity, const std::string& file, bool progress);

/// From now on what is logged is what `words` makes of it. Before there are other threads.
void say_by(std::string (*words)(const std::string&));

void log_error(const std::string& message);

}  // namespace srcextract
