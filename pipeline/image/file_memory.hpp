#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/chain/stage_list.hpp"
#include "pipeline/image/open_image.hpp"

namespace srcextract {

/// What extracting an image of that shape and file will take, of which no more is known.
RunPlan plan_of(const Shape& shape, const Job& job, const ImageFile& file);

/// Memory that a gzipped file of so many bytes, inflated, needs with its images at most, whatever their type: a byte
/// may be a pixel. This and the following are those of a difference if the job has a reference.
std::int64_t most_needed(std::int64_t inflated, const Job& job, const ImageFile& file);

/// What the images of a file do need, with the file if it is gzipped.
std::int64_t memory_needed(const std::vector<SelectedImage>& images, const Job& job, const ImageFile& file);

/// What the largest of them needs, without its file.
std::int64_t largest_needed(const std::vector<SelectedImage>& images, const Job& job, const ImageFile& file);

/// What reading the maps of an image brings into memory, beside their files.
std::int64_t loaded_bytes(const SelectedMaps& maps);

/// What the ends of the gzipped ones of some files say that they hold, together.
std::int64_t gzipped_sizes(const std::vector<std::string>& paths);

/// The files that are opened with every image of a file: the reference of the job, what is combined with the image, and
/// those of its detection image.
std::vector<std::string> files_beside(const Job& job, const ImageFile& file);

/// The files that are opened for a detection image.
std::vector<std::string> files_of(const DetectionTask& detection);

}  // namespace srcextract
