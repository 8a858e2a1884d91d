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

/// The contents of {stem}.run.json: how, by what, where and when one image was extracted. Besides this file, only the
/// report has values that differ from run to run.
struct RunRecord {
  const std::vector<std::string>& arguments;  ///< of the program
  const ImageConfig& config;
  const Execution& execution;
  const ImageInput& input;
  const ImageResult& result;
  std::uint32_t datasum = 0;  ///< FitsImage::datasum of the used plane
  std::vector<std::string> outputs;
  std::chrono::system_clock::time_point start;
  double seconds = 0;                             ///< wall time from opening the image until its last table is on disk
  std::optional<Completeness> completeness = {};  ///< if output.report_copies asks for it
  const Injection* injection = nullptr;           ///< result of injecting Gaussians into a radio map; null: not asked
                                                  ///< for
};

/// Writes the record as JSON. Numbers read back with the same bits; a number that is not finite is null.
std::string format_run_record(const RunRecord& report);

/// One of several bands in which the same sources are measured.
struct BandRecord {
  std::string name;
  std::vector<std::string> settings;  ///< for this band alone
  RunRecord record;                   ///< record of the band's image, as if it were the only one
};

/// Writes the record of a catalogue of one or more bands, as JSON. `bands` has an object per band; times, outputs and
/// the common configuration are from `all`.
std::string format_bands_record(const std::vector<BandRecord>& bands, const RunRecord& all);

/// Describes a run for the journal, as one line of JSON: program, libraries, host, time, arguments, and the
/// configuration as YAML, without the keys that manifests override.
std::string describe_session(const std::vector<std::string>& arguments, const Shard& shard, const std::string& config);

}  // namespace srcextract
