#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// What becomes of a file that could not be read.
enum class Comeback {
  none,   ///< the file has failed: it is there, or others are
  again,  ///< it was away with all others, and is back: read it again
  stop,   ///< it is away with all others, and the run stops; nothing is recorded of the file
};

/// Pauses a run whose inputs have all gone, as where their file system is no longer mounted.
class AbsentInputs {
 public:
  /// `longest`: seconds that the run waits for its inputs; 0: it does not wait. `should_stop` ends the waiting too.
  AbsentInputs(const PlannedFiles& files, double longest, std::function<bool()> should_stop);

  /// To be called after a file could not be read. If it has gone, and so have other inputs, evenly chosen, waits until
  /// it is back. Tells the log. Safe to call from several threads.
  Comeback wait_for(const std::string& path);

  /// Whether the inputs did not come back in time.
  bool gave_up() const { return gave_up_; }
  /// Whether the waiting ended without the inputs: files are left that nothing is recorded of.
  bool stopped() const { return stopped_; }

 private:
  bool have_all_gone() const;
  Comeback wait(const std::string& path, const std::string& why);

  std::vector<std::string> others_;  ///< some inputs that were there when the run began
  const double longest_;
  const std::function<bool()> should_stop_;
  std::mutex mutex_;
  std::atomic<bool> gave_up_ = false, stopped_ = false;
};

}  // namespace srcextract
