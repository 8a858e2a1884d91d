#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/batch/trial_request.hpp"
#include "survey/journal/image_record.hpp"

namespace srcextract {

/// First argument of the child process (the second is the parent's process id), and the file descriptor to which the
/// child writes its reports.
inline constexpr std::string_view trial_argument = "--trial";
inline constexpr int trial_answers = 3;

/// Limits and callbacks with which the parent controls the child process.
struct TrialControl {
  double limit = 0;         ///< seconds that an image may take; 0: no limit
  bool may_be_cut = false;  ///< whether the parent kills the child at once when `should_stop` returns true
  std::function<bool()> should_stop;
  std::function<void(std::size_t)>
      on_file;  ///< called with the index, from 0, of the request's file that the child is about to open
  std::function<void(const ImageRecord&)> on_record;  ///< called when an image is done or has failed
};

/// How a child process ended unexpectedly.
struct TrialDeath {
  std::string kind;    ///< "crash", "memory" or "timeout", as in ImageRecord::kind
  std::string reason;  ///< for example "ended its process by signal 11 (SIGSEGV)"
};

struct TrialEnd {
  bool cut = false;                 ///< the parent killed the child because the run is to stop
  std::optional<TrialDeath> death;  ///< set if the child ended unexpectedly
  std::size_t file = 0;             ///< index, from 0, of the request's file that the child worked on last
  std::optional<ImageRecord>
      image;  ///< the image of `file` that was being extracted when the child ended; null if no image was
};

/// Extracts the files of the request in a child process (pipeline/batch/trial_command.hpp), which may crash, and waits
/// for the child to end. Throws the error that the child reported, if there is one. Throws Error{internal} if the child
/// died before its first file, and Error{memory} if no process can be started.
TrialEnd run_in_process(const TrialRequest& request, const TrialControl& control);

}  // namespace srcextract
