#pragma once

namespace srcextract {

/// Whether the arguments are those with which run_in_process() starts this program as a child process. Users never pass
/// these arguments.
bool is_trial(int argc, const char* const* argv);

/// Extracts the files of the TrialRequest on stdin, one image after the other. Runs in a child process, so that a crash
/// does not end the whole run. Reports on file descriptor 3, in lines of JSON:
/// - {"file":N}: file N of the request, from 0, is about to be opened
/// - an image's record (format_record) that is neither done nor has a kind of failure: the image is about to be opened
/// - any other record of an image: the image is done or has failed
/// - {"error":KIND,"message":...}: an error ended the work
/// Dies when the parent process dies. Returns 0, also after an error.
int run_trial(int argc, const char* const* argv);

}  // namespace srcextract
