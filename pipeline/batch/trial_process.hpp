#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/batch/trial_request.hpp"
#include "survey/journal/image_record.hpp"

namespace srcextract {

/// First argument of the trial process, before the parent's process id, and the descriptor on which it answers.
inline constexpr std::string_view trial_argument = "--trial";
inline constexpr int trial_answers = 3;

/// Limits and callbacks of the parent process.
struct TrialControl {
  double limit = 0;         ///< seconds that an image may take; 0: no limit
  bool may_be_cut = false;  ///< the process is ended at once when the run is to stop
  std::function<bool()> should_stop;
  std::function<void(std::size_t)> on_file;           ///< called when file number N of the request is begun
  std::function<void(const ImageRecord&)> on_record;  ///< an image is done, or has failed
};

/// How a process ended unexpectedly.
struct TrialDeath {
  std::string kind;    ///< crash, memory or timeout: ImageRecord::kind
  std::string reason;  ///< "ended its process by signal 11 (SIGSEGV)"
};

struct TrialEnd {
  bool cut = false;                  ///< the process was ended because the run is to stop
  std::optional<TrialDeath> death;   ///< empty: the process did its work
  std::size_t file = 0;              ///< number, in the request, of the file that was under way
  std::optional<ImageRecord> image;  ///< the image of `file` that was under way, if any
};

/// Extracts the files of the request in a child process (pipeline/batch/trial_command.hpp), which may crash, and waits
/// for it. Throws the error that the child reported if it could not go on. Throws Error{internal} if the child died
/// before its first file, and Error{memory} if no process can be started.
TrialEnd run_in_process(const TrialRequest& request, const TrialControl& control);

}  // namespace srcextract
