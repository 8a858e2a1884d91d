#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "stages/core/catalog_format.hpp"

namespace srcextract {

/// The name that the outputs of an image begin with: its file name without .fits, .fit or .fts, and without the .fz or
/// .gz after it, in any case.
std::string image_stem(const std::string& image);

/// Where everything made from one image goes.
struct OutputPaths {
  std::vector<std::pair<CatalogFormat, std::string>> catalogs;
  std::string segmentation;  ///< empty: not asked for
  std::string report;        ///< the run.json

  std::vector<std::string> all() const;
};

/// `hdu` is part of the names if several HDUs of the image are extracted.
OutputPaths output_paths(const std::string& directory, const std::string& image, std::optional<int> hdu,
                         const OutputConfig& config);

/// Throws Error{config} that names both if two images would write the same files; with `all_hdus` their names may go
/// on with .hdu and a number.
void require_distinct_outputs(const std::vector<std::string>& images, bool all_hdus);

/// Throws Error{config} if the log file, there or not yet, would be one of `outputs`.
void require_separate_log(const std::string& log, const std::vector<std::string>& outputs);

/// The files that no output may replace.
class KeptFiles {
 public:
  explicit KeptFiles(const std::vector<std::string>& paths);

  /// Throws Error{config} if one of `outputs` is one of these, by whatever path or link.
  void require_kept(const std::vector<std::string>& outputs) const;

 private:
  using Identity = std::pair<std::uintmax_t, std::uintmax_t>;  // device, inode
  static std::optional<Identity> identity(const std::string& path);

  std::map<Identity, std::string> path_of_;
};

/// Makes the directory if it is missing. Throws Error{output} if that fails or no file can be made in it.
void prepare_output_directory(const std::string& directory);

}  // namespace srcextract
