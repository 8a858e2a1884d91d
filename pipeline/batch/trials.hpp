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

/// Extracts, before all others, the files that were under way when an earlier process ended unexpectedly. Each file
/// runs in a process of its own; a crash of that process is a failure of the image. Files whose images were all done
/// but not recorded share one process until it crashes, since one of them may be the cause.
class Trials {
 public:
  /// `request` has no files yet. `limit`: seconds that an image may take; 0: no limit. The arguments passed by
  /// reference must outlive this object.
  Trials(TrialRequest request, double limit, const KeptFiles& kept, Journal& journal, const RunControl& control,
         Progress& progress);

  /// Extracts `files`, which an earlier process left unfinished. Returns false if some are left because the run is to
  /// stop. Throws errors that end the run.
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
  bool any_recorded_ = false;  ///< whether the last attempt recorded an image
};

}  // namespace srcextract
