#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/batch/run_control.hpp"
#include "pipeline/batch/trial_process.hpp"
#include "pipeline/batch/trial_request.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "survey/journal/journal.hpp"

namespace srcextract {

/// Extracts the files that an earlier process was extracting when that process ended unexpectedly. The run does this
/// before all other files.
///
/// Each file is extracted in a child process. If the child crashes, the image that was being extracted counts as
/// failed. If all images of a file were done, but not recorded, the file is less suspect: all files of this kind share
/// one child, until that child crashes.
class Trials {
 public:
  /// `request` has everything but the files. `limit`: seconds that an image may take; 0: no limit. The arguments passed
  /// by reference must outlive this object.
  Trials(TrialRequest request, double limit, const KeptFiles& kept, Journal& journal, const RunControl& control,
         Progress& progress);

  /// Extracts `files`, which an earlier process left unfinished. Returns false if the run is to stop and some files are
  /// left. Throws errors that end the run.
  bool run(std::vector<PlannedFile> files);

 private:
  bool try_together(std::span<PlannedFile> files);
  void try_alone(PlannedFile& file);
  bool goes_on_after(const TrialEnd& end, PlannedFile& file);
  TrialEnd attempt(std::span<PlannedFile> files, bool may_be_cut);
  void conclude(const ImageRecord& record, PlannedFile& file);
  void fail(ImageRecord record, const TrialDeath& death, PlannedFile& file);
  int trials_of(const PlannedFile& file) const;

  TrialRequest request_;
  const double limit_;
  const KeptFiles& kept_;
  Journal& journal_;
  const RunControl& control_;
  Progress& progress_;
  bool any_recorded_ = false;  ///< whether the last child process finished an image (done or failed)
};

}  // namespace srcextract
