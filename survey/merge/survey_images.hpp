#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "survey/inputs/by_index.hpp"
#include "survey/journal/packed_records.hpp"

namespace srcextract {

/// An image of a survey: its record, and the index of the directory that contains its outputs.
struct SurveyImage {
  ImageRecord record;
  std::size_t directory = 0;
};

/// The images of a survey, in order. Records are packed; returned records are copies.
class SurveyImages {
 public:
  using value_type = SurveyImage;

  SurveyImages() = default;
  SurveyImages(const std::vector<SurveyImage>& images) {
    for (const SurveyImage& image : images) {
      const auto records = std::make_shared<PackedRecords>();
      const PackedRecords::Place place = records->add(image.record);
      add(add(records, image.directory), place);
    }
  }

  /// Adds a store of packed records, without images yet. All of its images have their outputs in this directory.
  /// Returns an index, which the other add() takes as `source`.
  std::uint32_t add(std::shared_ptr<const PackedRecords> records, std::size_t directory) {
    sources_.push_back({std::move(records), directory});
    return static_cast<std::uint32_t>(sources_.size() - 1);
  }

  /// Appends the image whose record is at this place in store `source`.
  void add(std::uint32_t source, PackedRecords::Place place) { images_.push_back({place, source}); }

  std::size_t size() const { return images_.size(); }
  bool empty() const { return images_.empty(); }
  SurveyImage operator[](std::size_t i) const {
    const Source& source = sources_[images_[i].source];
    return {source.records->at(images_[i].place), source.directory};
  }

  ByIndex<SurveyImages> begin() const { return {*this, 0}; }
  ByIndex<SurveyImages> end() const { return {*this, size()}; }

 private:
  struct Image {
    PackedRecords::Place place;
    std::uint32_t source;
  };
  struct Source {
    std::shared_ptr<const PackedRecords> records;
    std::size_t directory;
  };
  std::vector<Source> sources_;
  std::vector<Image> images_;
};

}  // namespace srcextract
