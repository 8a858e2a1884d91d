#include "survey/merge/survey_images.hpp"

namespace srcextract {

SurveyImages::SurveyImages(const std::vector<SurveyImage>& images) {
  for (const SurveyImage& image : images) {
    const auto records = std::make_shared<PackedRecords>();
    const PackedRecords::Place place = records->add(image.record);
    add(add(records, image.directory), place);
  }
}

std::uint32_t SurveyImages::add(std::shared_ptr<const PackedRecords> records, std::size_t directory) {
  sources_.push_back({std::move(records), directory});
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

SurveyImage SurveyImages::operator[](std::size_t i) const {
  const Source& source = sources_[images_[i].source];
  return {source.records->at(images_[i].place), source.directory};
}

}  // namespace srcextract
