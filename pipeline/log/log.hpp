#pragma once

#include <string>

namespace srcextract {

enum class Verbosity { quiet, normal, verbose };

/// Sends the log to stderr, at the default verbosity. Call this before the command line is parsed, since parsing may
/// log.
void log_to_stderr();

/// Sets the verbosity on stderr. If `file` is not empty, also appends the log to that file, with times, at least at
/// level `normal`. `progress`: a progress line is on the terminal, which each log line first clears. Throws
/// Error{output} if the file cannot be opened.
void configure_log(Verbosity verbosity, const std::string& file, bool progress);

/// Sets a function through which every log message passes from now on. Call this before other threads start.
void say_by(std::string (*words)(const std::string&));

/// Prints a result on stdout, where only results are printed. Throws Error{output}, but not if stdout is a pipe that
/// nobody reads any more.
void print_result(const std::string& text);

void log_detail(const std::string& message);  ///< with -v
void log_warning(const std::string& message);
void log_error(const std::string& message);

/// Flushes and closes the log. Call this at the end of the process.
void end_log();

}  // namespace srcextract
