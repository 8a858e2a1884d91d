#pragma once

namespace srcextract {

/// Whether the arguments are those with which TrialProcess starts this program. Users never pass them.
bool is_trial(int argc, const char* const* argv);

/// Extracts the files of the request on stdin, one image after the other. Reports on descriptor 3, one line of JSON
/// each:
/// - {"file":N}: file N of the request is about to be opened
/// - a record (format_record) without a kind of failure: an image is about to be opened
/// - the record of an image: the image is done or has failed
/// - {"error":KIND,"message":...}: the run cannot go on
/// Ends when its parent process ends. Returns 0, also after an error.
int run_trial(int argc, const char* const* argv);

}  // namespace srcextract
