#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/shard.hpp"

namespace srcextract {

/// The contents of {stem}.run.json: how, where and when one image was extracted, and with which program and
/// configuration. Only this file and the report contain values that differ between equal runs.
struct RunRecord {
  const std::vector<std::string>& arguments;  ///< command line of the program
  const ImageConfig& config;
  const Execution& execution;
  const ImageInput& input;
  const ImageResult& result;
  std::uint32_t datasum = 0;  ///< FitsImage::datasum() of the extracted plane
  std::vector<std::string> outputs;
  std::chrono::system_clock::time_point start;
  double seconds = 0;                             ///< wall time from opening the image until the last table is on disk
  std::optional<Completeness> completeness = {};  ///< empty if output.report_copies does not ask for the completeness
  /// Result of injecting Gaussians into a radio map; null if not requested.
  const Injection* injection = nullptr;
};

/// Formats the record as JSON. A number is written with so many digits that reading the number gives the same bits. A
/// number that is not finite is null.
std::string format_run_record(const RunRecord& report);

/// One of several images (bands) in which the same sources are measured.
struct BandRecord {
  std::string name;
  std::vector<std::string> settings;  ///< settings of this band alone
  RunRecord record;                   ///< record of the band's image, as if there were no other band
};

/// Formats the record of a catalogue of one or more bands as JSON. `bands` becomes one object per band. Times, outputs
/// and the common configuration come from `all`.
std::string format_bands_record(const std::vector<BandRecord>& bands, const RunRecord& all);

/// Describes a run of `srcextract batch` for the journal, as one line of JSON: versions of the program and its
/// libraries, host, process id, start time, arguments, shard, and `config`, the configuration as YAML.
std::string describe_session(const std::vector<std::string>& arguments, const Shard& shard, const std::string& config);

}  // namespace srcextract
