#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "survey/inputs/image_config.hpp"

namespace srcextract {

/// An image in a manifest (a list of images, described at find_inputs).
struct ManifestRow {
  std::int64_t line = 0;  ///< line in the manifest, from 1
  std::string path;       ///< path with the manifest's directory in front, unless absolute
  std::string name;
  std::shared_ptr<const ImageConfig> config;
  std::shared_ptr<const FilesBeside> beside = nullptr;  ///< files beside the image; null: none
};

/// Whether the path ends in .txt, .csv or .ecsv, in upper or lower case.
bool is_manifest_name(const std::string& path);

/// Calls on_row for every row of a manifest, in order. Does not check whether the images exist. Throws Error{input} if
/// the manifest cannot be read, and Error{config} for a wrong header or row. Messages about a line begin with the
/// place, such as `manifest.csv:12: `. Returns a message about ignored columns; empty if there are none.
std::string read_manifest(const std::string& path, ConfigVariants& configs,
                          const std::function<void(ManifestRow)>& on_row);

}  // namespace srcextract
