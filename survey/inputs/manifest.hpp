#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "survey/inputs/image_config.hpp"

namespace srcextract {

/// A line of a manifest.
struct ManifestRow {
  std::int64_t line = 0;  ///< from 1
  std::string path;       ///< as it is opened
  std::string name;       ///< ImageFile::name
  std::shared_ptr<const ImageConfig> config;
  std::shared_ptr<const FilesBeside> beside = nullptr;  ///< ImageFile::beside
};

/// True for .txt, .csv and .ecsv, in any case.
bool is_manifest_name(const std::string& path);

/// Calls on_row for every row of a manifest (described at find_inputs), in order. Does not look for the files. Throws
/// Error{input} if the manifest cannot be read, and Error{config} for a wrong header or row. Errors about a line begin
/// with `manifest.csv:12: `. Returns a note about ignored columns; empty if there are none.
std::string read_manifest(const std::string& path, ConfigVariants& configs,
                          const std::function<void(ManifestRow)>& on_row);

}  // namespace srcextract
