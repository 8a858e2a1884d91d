#include "pipeline/outputs/joined_file.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "pipeline/machine/versions.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

std::string fits_catalog(const std::string& directory, const ImageFile& file, std::optional<int> hdu) {
  const OutputPaths paths = output_paths(directory, file.name, hdu, file.config->config.output);
  const auto catalog = std::ranges::find(paths.catalogs, CatalogFormat::fits,
                                         [](const auto& format_and_path) { return format_and_path.first; });
  return catalog->second;
}

}  // namespace

JoinedFile::JoinedFile(const std::string& directory, const PlannedFile& planned,
                       const std::vector<SelectedImage>& images, const KeptFiles& kept)
    : output_(fits_catalog(directory, planned.file, std::nullopt)) {
  kept.require_kept({output_});
  for (const SelectedImage& image : images) {
    if (std::ranges::count(planned.done_hdus, image.hdu) == 0) ++pending_;
    if (std::ranges::count(planned.failed_hdus, image.hdu) == 0)
      catalogs_.push_back({image.hdu, image.extname, fits_catalog(directory, planned.file, image.hdu)});
  }
}

void JoinedFile::end(int hdu, bool done) {
  const std::lock_guard lock(mutex_);
  if (!done) std::erase_if(catalogs_, [&](const HduCatalog& catalog) { return catalog.hdu == hdu; });
  if (--pending_ == 0) write();
}

void JoinedFile::end_without_any() {
  if (pending_ == 0) write();
}

void JoinedFile::write() const {
  if (catalogs_.empty()) return;
  join_hdus(catalogs_, output_, program_version(), [](const std::string& text) { spdlog::warn("{}", text); });
  spdlog::debug("{}: the sources of {} HDUs", output_, catalogs_.size());
}

}  // namespace srcextract
