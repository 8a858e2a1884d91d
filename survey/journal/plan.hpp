#pragma once

#include <cstdint>
#include <string>

#include "survey/inputs/image_files.hpp"
#include "survey/journal/ledger.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// The files to extract, and numbers of files by what is done with them. A file to extract counts as added, changed or
/// retried, the first of these that applies, or else as forced. A file to extract also counts as failed if one of its
/// images failed before and is not tried again.
struct SurveyPlan {
  PlannedFiles files;
  std::int64_t added = 0;    ///< no journal contains the file, or some of its images are missing in the journals
  std::int64_t changed = 0;  ///< the file, its configuration, the program's version or an output has changed
  std::int64_t retried = 0;  ///< failed before, and is extracted again
  std::int64_t forced = 0;   ///< done before, and is extracted again because of PlanOptions::force
  std::int64_t done = 0;     ///< all images are done, and nothing is extracted
  std::int64_t failed = 0;   ///< an image failed before, and is not tried again
  std::int64_t unseen = 0;   ///< part of `done`: the file, or a file that it needs, is inaccessible now
  /// Inaccessible as `unseen`, but images are left to extract once the file is accessible again; not part of `done`.
  std::int64_t undone = 0;
  std::string why_unseen;  ///< name of the first inaccessible file, and the reason
  /// Number of files to extract whose name belongs, in the journals, to another file: a file at another path, which
  /// still exists and differs in size or modification time. The outputs of the other file are replaced.
  std::int64_t replaced = 0;
  std::string why_replaced;  ///< the paths of the first such file and of the other
};

struct PlanOptions {
  bool retry_failed = false;
  bool force = false;
};

/// Determines which files are to be extracted. An image is done if a journal says so for the same file size,
/// modification time, configuration and program version, and its outputs exist with the recorded sizes.
///
/// A file with done images is left alone, whatever the options, if it or a file that it needs is inaccessible now, for
/// example on an unmounted file system. Its extraction would fail and replace the good record.
SurveyPlan make_plan(ImageFiles files, const Ledger& ledger, const std::string& directory, const std::string& program,
                     const PlanOptions& options);

}  // namespace srcextract
