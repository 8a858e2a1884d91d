#pragma once

#include <string>
#include <utility>
#include <vector>

namespace srcextract {

std::string program_version();

/// Build type, compiler and git commit, separated by commas.
std::string program_build();

/// Name and version of every library that may affect results. Without CUDA, the version of CUDA is "not built".
std::vector<std::pair<std::string, std::string>> library_versions();

/// Text that --version prints.
std::string version_text();

}  // namespace srcextract
