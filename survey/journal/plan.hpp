#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"
#include "survey/journal/ledger.hpp"

namespace srcextract {

/// A file with images to extract.
struct PlannedFile {
  ImageFile file;
  std::vector<int> done_hdus;         ///< images of it that are to be left alone: done, or failed and not tried again
  std::vector<int> failed_hdus = {};  ///< those of them that failed: what outputs they have are of an earlier file
};

/// Bytes of all files.
std::int64_t total_bytes(const std::vector<PlannedFile>& files);

/// What there is to do, and how many files of each kind there are: every one is counted once, as the first that it is
/// of added, changed, retried; and as failed also where other images of it are to do.
struct Plan {
  std::vector<PlannedFile> files;
  std::int64_t added = 0;    ///< files that no journal knows, or not all of their images
  std::int64_t changed = 0;  ///< the file, its configuration, the program's version, or an output that is not as it was
  std::int64_t retried = 0;  ///< failed before
  std::int64_t forced = 0;   ///< done before, and done again
  std::int64_t done = 0;     ///< nothing to do
  std::int64_t failed = 0;   ///< an image of it failed before, and is not tried again
};

struct PlanOptions {
  bool retry_failed = false;
  bool force = false;
};

/// What is missing or changed. An image is done where a journal says so for a file of the same size and time, the same
/// configuration and version, and its outputs are there with the sizes that they had.
Plan make_plan(std::vector<ImageFile> files, const Ledger& ledger, const std::string& directory,
               const std::string& program, const PlanOptions& options);

}  // namespace srcextract
