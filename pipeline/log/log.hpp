#pragma once

#include <string>

namespace srcextract {

enum class Verbosity { quiet, normal, verbose };

/// Sends the log to stderr, since stdout is for results. For use before the options are known.
void log_to_stderr();

/// Sets the verbosity on stderr. Also logs to `file`, unless it is empty: appended, with dates, and at least at level
/// `normal`. With `progress`, a log line on the terminal replaces the progress line. Throws Error{output} if the file
/// cannot be opened.
void configure_log(Verbosity verbosity, const std::string& file, bool progress);

/// Sets a function that rewrites every logged text from now on. Call this before other threads start.
void say_by(std::string (*words)(const std::string&));

/// Prints a result on stdout, which is for results alone. Throws Error{output}.
void print_result(const std::string& text);

void log_info(const std::string& message);
void log_warning(const std::string& message);
void log_error(const std::string& message);

/// Flushes the log, at the end of the process.
void end_log();

}  // namespace srcextract
