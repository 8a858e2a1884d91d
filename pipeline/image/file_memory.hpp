#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/chain/stage_list.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/machine/backend.hpp"

namespace srcextract {

/// The memory plan of an image of that shape in that file, before its planes are known.
RunPlan plan_of(const Shape& shape, const ImageFile& file);

/// Upper limit of the memory for a gzipped file of `inflated` bytes and its images. Any pixel type is possible, so each
/// byte counts as a pixel. This and the next two functions also count the file's reference.
std::int64_t most_needed(std::int64_t inflated, const ImageFile& file);

/// The part of `most` bytes that the stages of an image may take: the bytes of its file that stay in memory count, too.
std::int64_t left_for_stages(const SelectedImage& image, std::int64_t most);

/// Memory that the images of a file need, with the file itself if it is gzipped. An image that needs more than `most`
/// goes by rows if it can.
std::int64_t memory_needed(const std::vector<SelectedImage>& images, const ImageFile& file, std::int64_t most);

/// Memory that the largest of the images needs, without its file.
std::int64_t largest_needed(const std::vector<SelectedImage>& images, const ImageFile& file, std::int64_t most);

/// Lets the CPU take an image by rows if it can, and needs more than `most` as a whole; says so of `name`. A comparison
/// takes images as a whole.
void go_by_rows(const RunPlan& plan, std::int64_t most, const std::string& name, Execution& execution);

/// Memory for reading the maps of an image, without their files.
std::int64_t loaded_bytes(const SelectedMaps& maps);

/// Total inflated size of the gzipped files among `paths`, as their last bytes state it.
std::int64_t gzipped_sizes(const std::vector<std::string>& paths);

/// The files that are opened with every image of a file: those combined with the image, its reference, and its
/// detection image. The latter two come with files of their own.
std::vector<std::string> files_beside(const ImageFile& file);

/// The files that are opened for a detection image.
std::vector<std::string> files_of(const DetectionTask& detection);

}  // namespace srcextract
