#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Everything that {stem}.run.json tells: how one image was extracted, by what, where and when. All that differs from
/// run to run stands here and in no other output.
struct RunRecord {
  const std::vector<std::string>& arguments;  ///< of the program
  const ImageConfig& config;
  const Execution& execution;
  const ImageInput& input;
  const ImageResult& result;
  std::uint32_t datasum = 0;  ///< FitsImage::datasum of the plane that was used
  std::vector<std::string> outputs;
  std::chrono::system_clock::time_point start;
  double seconds = 0;  ///< wall time from opening the image to its last table on the disk
};

/// The report as JSON. Numbers read back to the same bits; one that is not finite is null.
std::string format_run_record(const RunRecord& report);

/// One of several bands in which the same sources are measured.
struct BandRecord {
  std::string name;
  std::vector<std::string> settings;  ///< of it alone
  RunRecord record;                   ///< of its image, as if that were the only one
};

/// The same of a catalogue of several bands, at least one: of each an object in `bands`, and of `all` what it took and
/// what was written, with the configuration of those that have no settings of their own.
std::string format_bands_record(const std::vector<BandRecord>& bands, const RunRecord& all);

/// What a journal tells of a session, as JSON on one line: the program and its libraries, where and when it began, and
/// how it was called, and the configuration as YAML, but for what manifests override.
std::string describe_session(const std::vector<std::string>& arguments, const Shard& shard, const std::string& config);

}  // namespace srcextract
