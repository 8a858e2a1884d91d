#pragma once

namespace srcextract {

/// Whether the arguments are those that TrialProcess starts this program with; no user does.
bool is_trial(int argc, const char* const* argv);

/// Extracts the files of the request on stdin, one image after the other, and tells on descriptor 3 what it begins and
/// what became of it, a line of JSON each: {"file":N} when file N of the request is about to be opened, a record
/// (format_record) without a kind of failure when an image is, and its record when it is done or has failed;
/// {"error":KIND,"message":...} when the run cannot go on. Ends with the process that started it. Returns the exit
/// code.
int run_trial(int argc, const char* const* argv);

}  // namespace srcextract
