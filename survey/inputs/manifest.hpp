#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "survey/inputs/image_config.hpp"

namespace srcextract {

/// What a line of a manifest asks for.
struct ManifestRow {
  std::int64_t line = 0;  ///< from 1
  std::string path;       ///< as it is to be opened
  std::string name;       ///< ImageFile::name
  std::shared_ptr<const ImageConfig> config;
  std::shared_ptr<const FilesBeside> beside = nullptr;  ///< ImageFile::beside
};

/// True of .txt, .csv and .ecsv, in any case.
bool is_manifest_name(const std::string& path);

/// Calls on_row for every row of a manifest, as find_inputs describes them, in order; none is looked for. Throws
/// Error{input} if it cannot be read, and Error{config} for its header and what it asks; both begin
/// `manifest.csv:12: ` where it is a line. Returns what there is to say of a table with columns that mean nothing;
/// empty if there is none.
std::string read_manifest(const std::string& path, ConfigVariants& configs,
                          const std::function<void(ManifestRow)>& on_row);

}  // namespace srcextract
