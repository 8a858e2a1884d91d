#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/batch/trial_request.hpp"
#include "survey/journal/image_record.hpp"

namespace srcextract {

/// What the process is started with, before the number of the one that starts it, and where it answers.
inline constexpr std::string_view trial_argument = "--trial";
inline constexpr int trial_answers = 3;

/// What the process that starts it hears and asks.
struct TrialControl {
  double limit = 0;         ///< seconds an image may take; 0: any time
  bool may_be_cut = false;  ///< ended at once where the run is to stop
  std::function<bool()> should_stop;
  std::function<void(std::size_t)> on_file;           ///< that number of the request is begun
  std::function<void(const ImageRecord&)> on_record;  ///< an image is done, or has failed
};

/// How a process ended that was not to.
struct TrialDeath {
  std::string kind;    ///< crash, memory or timeout: ImageRecord::kind
  std::string reason;  ///< "ended its process by signal 11 (SIGSEGV)"
};

struct TrialEnd {
  bool cut = false;                  ///< because the run is to stop
  std::optional<TrialDeath> death;   ///< none: it did what it was asked
  std::size_t file = 0;              ///< the number of the file that was under way
  std::optional<ImageRecord> image;  ///< the image of it that was; none where it was none yet, or no longer
};

/// Has the files of the request extracted by a process of their own (pipeline/batch/trial_command.hpp) that may end
/// however it does; waits for it. Throws the Error for which the process could not go on, Error{internal} if it did not
/// even start.
TrialEnd run_in_process(const TrialRequest& request, const TrialControl& control);

}  // namespace srcextract
