#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/log/log.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

/// The work of a child process: files to extract, with the command line and configuration that the parent has parsed.
/// The child does not read the configuration files or search for inputs again.
struct TrialRequest {
  std::string directory;               ///< of the output files
  std::vector<std::string> arguments;  ///< of the parent's command line, for run.json
  bool compare = false;  ///< whether the back end is `compare`, which runs both back ends and compares their results
  std::vector<int> devices;
  int threads = 1;
  std::optional<std::int64_t> memory;
  Verbosity verbosity = Verbosity::normal;
  std::string log_file;
  std::string temporaries;         ///< tag in the names of the child's temporary files
  std::vector<std::string> kept;   ///< paths of files that no output may replace
  std::vector<PlannedFile> files;  ///< in the order of extraction
};

/// Encodes the request as CBOR (RFC 8949) for a child process that runs the same executable. CBOR is used since file
/// names may contain bytes that are not UTF-8, which JSON does not allow.
std::vector<std::uint8_t> format_request(const TrialRequest& request);

/// Inverse of format_request(). Throws Error{internal} if the bytes do not encode a request.
TrialRequest parse_request(const std::vector<std::uint8_t>& bytes);

}  // namespace srcextract
