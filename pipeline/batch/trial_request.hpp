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

/// What a process is asked that extracts files by itself: all that the command line and the configuration came to in
/// the process that asks, which need not be read, nor the survey be found, again.
struct TrialRequest {
  std::string directory;               ///< of the outputs
  std::vector<std::string> arguments;  ///< for run.json
  bool compare = false;                ///< --backend compare
  std::vector<int> devices;
  int threads = 1;
  std::optional<std::int64_t> memory;
  Verbosity verbosity = Verbosity::normal;
  std::string log_file;
  std::string temporaries;         ///< what names of its temporary files contain
  std::vector<std::string> kept;   ///< files that no output may replace
  std::vector<PlannedFile> files;  ///< extracted in this order
};

/// As bytes, for a process of this very program (CBOR, RFC 8949, whose texts hold any byte that a name does).
std::vector<std::uint8_t> format_request(const TrialRequest& request);

/// Reads it back. Throws Error{internal}.
TrialRequest parse_request(const std::vector<std::uint8_t>& bytes);

}  // namespace srcextract
