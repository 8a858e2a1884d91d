#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/wcs/pixel_unit.hpp"
#include "survey/journal/journal.hpp"
#include "survey/merge/merge.hpp"
#include "tests/support/random_sources.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

inline void no_warning(const std::string&) {}

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An image of a survey as batch leaves it.
struct TestImage {
  std::string name;
  Sources sources = usual_sources();
  std::optional<int> hdu = std::nullopt;
  std::string config = "00000000000000aa";
  std::string unit = "count";
  std::string failure = "";  ///< not empty: it has failed
  std::string program = "0.1.0";

  ImageRecord record() const {
    ImageRecord record;
    record.name = name;
    record.hdu = hdu;
    record.images = hdu ? 2 : 1;
    record.path = "/sky/" + name;
    record.bytes = 2880 * 5;
    record.config = config;
    record.program = program;
    record.done = failure.empty();
    if (record.done) {
      record.datasum = 0xfedcba98;
      record.width = 640;
      record.height = 480;
      record.sources = sources.size();
      record.background = 100.25;
      record.sigma = 0.1;
    } else {
      record.kind = "input";
      record.reason = failure;
    }
    return record;
  }
};

/// A directory that batch wrote into.
class TestSurvey {
 public:
  TestSurvey(const TemporaryFolder& folder, const std::string& name, Shard shard = {}) : path_(folder / name) {
    std::filesystem::create_directories(path_);
    journal_.emplace(path_, shard, "{}", no_warning);
  }

  std::string path() const { return path_; }

  /// Writes its catalogue, and returns the path of that.
  std::string add(const TestImage& image, CatalogFormat format = CatalogFormat::fits) {
    ImageRecord record = image.record();
    std::string stem = image.name.substr(0, image.name.rfind('.'));
    if (image.hdu) stem += ".hdu" + std::to_string(*image.hdu);
    const std::string output = stem + extension(format), path = path_ + "/" + output;
    if (record.done) {
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      write_catalog(path, format, image.sources,
                    {"1.2.3", "detection:\n  threshold: 5\n", image.unit, sum_unit(image.unit)})
          .commit();
      record.outputs.emplace_back(output, static_cast<std::int64_t>(std::filesystem::file_size(path)));
    }
    journal_->add(record);
    return path;
  }

  void finish(bool complete = true) {
    journal_->finish(complete);
    journal_.reset();
  }

 private:
  std::string path_;
  std::optional<Journal> journal_;
};

/// Merges, and returns the bytes of the survey catalogue.
inline std::string merged(const TemporaryFolder& folder, const std::vector<std::string>& directories,
                          const std::function<void(const std::string&)>& warn = no_warning, bool partial = false) {
  const std::string output = folder / "survey.cat.fits";
  merge_surveys({directories, output, partial, "1.2.3"}, warn);
  return contents_of(output);
}

/// One directory, finished.
inline std::string survey_of(const TemporaryFolder& folder, const std::vector<TestImage>& images) {
  TestSurvey survey(folder, "out");
  for (const TestImage& image : images) survey.add(image);
  survey.finish();
  return survey.path();
}

}  // namespace srcextract::testing
