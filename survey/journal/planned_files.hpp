#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "survey/inputs/by_index.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// A file with images to extract.
struct PlannedFile {
  ImageFile file;
  std::vector<int> done_hdus;         ///< images of it that are to be left alone: done, or failed and not tried again
  std::vector<int> failed_hdus = {};  ///< those of them that failed: what outputs they have are of an earlier file
};

/// What there is to do of a survey, in the few bytes of ImageFiles, and like these: what is returned is a copy.
class PlannedFiles {
 public:
  using value_type = PlannedFile;

  PlannedFiles() = default;
  /// Of short lists.
  PlannedFiles(const std::vector<PlannedFile>& files);
  /// All images of these.
  explicit PlannedFiles(ImageFiles files) : files_(std::move(files)) {}

  /// Which images of file i are left alone (PlannedFile).
  void leave(std::size_t i, std::vector<int> done_hdus, std::vector<int> failed_hdus);

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  PlannedFile operator[](std::size_t i) const;
  const ImageFiles& files() const { return files_; }

  /// Keeps these alone, in this order.
  void select(const std::vector<std::size_t>& which);

  ByIndex<PlannedFiles> begin() const { return {*this, 0}; }
  ByIndex<PlannedFiles> end() const { return {*this, size()}; }

 private:
  struct Left {
    std::vector<int> done_hdus, failed_hdus;
  };

  ImageFiles files_;
  std::map<std::size_t, Left> left_;  ///< of the few of which images are left alone
};

/// Bytes of all files.
std::int64_t total_bytes(const PlannedFiles& files);

}  // namespace srcextract
