#include "survey/journal/planned_files.hpp"

#include <utility>

namespace srcextract {

PlannedFiles::PlannedFiles(const std::vector<PlannedFile>& files) {
  for (const PlannedFile& planned : files) {
    files_.push_back(planned.file);
    leave(files_.size() - 1, planned.done_hdus, planned.failed_hdus);
  }
}

void PlannedFiles::leave(std::size_t i, std::vector<int> done_hdus, std::vector<int> failed_hdus) {
  if (done_hdus.empty() && failed_hdus.empty()) return;
  left_.insert_or_assign(i, Left{std::move(done_hdus), std::move(failed_hdus)});
}

PlannedFile PlannedFiles::operator[](std::size_t i) const {
  const auto left = left_.find(i);
  if (left == left_.end()) return {files_[i], {}};
  return {files_[i], left->second.done_hdus, left->second.failed_hdus};
}

void PlannedFiles::select(const std::vector<std::size_t>& which) {
  files_.select(which);
  if (left_.empty()) return;
  std::map<std::size_t, Left> left;
  for (std::size_t i = 0; i < which.size(); ++i)
    if (const auto known = left_.find(which[i]); known != left_.end()) left.emplace(i, std::move(known->second));
  left_ = std::move(left);
}

std::int64_t total_bytes(const PlannedFiles& files) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < files.size(); ++i) bytes += files.files().bytes(i);
  return bytes;
}

}  // namespace srcextract
