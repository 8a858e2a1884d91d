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

/// Extracts, before all others, the files that were under way when an earlier process ended that was not to: each by
/// itself, in a process of its own, which may end as it likes; what ends it is a failure of that image. Those of which
/// all was done, but not recorded, share a process until it ends, for they may have left a trap for others.
class Trials {
 public:
  /// `request` is without files. `limit` is how many seconds an image may take, or 0. The others must outlive it.
  Trials(TrialRequest request, double limit, const KeptFiles& kept, Journal& journal, const RunControl& control,
         Progress& progress);

  /// The files were all interrupted. False if some are left, because the run is to stop. Throws what ends the run.
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
  bool any_recorded_ = false;  ///< by the last attempt
};

}  // namespace srcextract
