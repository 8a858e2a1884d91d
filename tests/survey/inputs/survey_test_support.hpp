#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

/// Makes a file of so many bytes, and the folders that it is in.
inline std::string make_file(const TemporaryFolder& folder, const std::string& name, std::size_t bytes = 0) {
  const std::string path = folder / name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
  return path;
}

inline std::vector<std::string> names_of(const ImageFiles& files) {
  std::vector<std::string> names;
  for (const ImageFile& file : files) names.push_back(file.name);
  return names;
}

inline std::vector<std::string> paths_of(const ImageFiles& files) {
  std::vector<std::string> paths;
  for (const ImageFile& file : files) paths.push_back(file.path);
  return paths;
}

}  // namespace srcextract::testing
