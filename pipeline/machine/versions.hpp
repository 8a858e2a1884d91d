#pragma once

#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// Version of this program, as in "0.1.0".
std::string program_version();

/// Build type, compiler and commit.
std::string program_build();

/// Name and version of every library that may affect results, CUDA first ("not built" without it).
std::vector<std::pair<std::string, std::string>> library_versions();

/// The answer to --version.
std::string version_text();

}  // namespace srcextract
