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

/// The task of a trial process: the parsed command line and configuration of its parent. The process neither reads
/// these again nor looks for the survey's files.
struct TrialRequest {
  std::string directory;               ///< of the outputs
  std::vector<std::string> arguments;  ///< for run.json
  bool compare = false;                ///< --backend compare
  std::vector<int> devices;
  int threads = 1;
  std::optional<std::int64_t> memory;
  Verbosity verbosity = Verbosity::normal;
  std::string log_file;
  std::string temporaries;         ///< part of the names of the child's temporary files
  std::vector<std::string> kept;   ///< files that no output may replace
  std::vector<PlannedFile> files;  ///< extracted in this order
};

/// Encodes the request as CBOR (RFC 8949) for a child process of this same program. Its byte strings hold file names
/// with arbitrary bytes.
std::vector<std::uint8_t> format_request(const TrialRequest& request);

/// Inverse of format_request(). Throws Error{internal} if the bytes are no request.
TrialRequest parse_request(const std::vector<std::uint8_t>& bytes);

}  // namespace srcextract
