#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/chain/stage_list.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/machine/backend.hpp"

namespace srcextract {

/// The memory plan of an image in that file, before its planes are known. What is read for the image alone counts:
/// tiles of the image and its maps, and gzipped files that are opened with it. The file itself and files of maps do
/// not. `compares`: both back ends extract the image.
RunPlan plan_of(const SelectedImage& image, const SelectedMaps& maps, const ImageFile& file, bool compares);

/// Upper limit of the memory for a gzipped file of `inflated` bytes and its images. Any pixel type is possible, so each
/// byte counts as a pixel.
std::int64_t most_needed(std::int64_t inflated, const ImageFile& file);

/// Lets the CPU take an image by rows, if `memory` (of host_memory_within) has a part for them; says so of `name`.
void go_by_rows(const RunPlan& plan, const HostMemory& memory, const std::string& name, Execution& execution);

/// Runs `extract`, which uses `execution` and has `memory` for an image. The number of sources is known only after they
/// are found. If they leave too little memory for the whole image on the host, runs `extract` again by rows, with the
/// memory `less`.
void within_memory(const HostMemory& memory, const HostMemory& less, const std::string& name, Execution& execution,
                   const std::function<void()>& extract);

/// Host memory that a device may take. The destructor gives it back.
struct AllowedMemory {
  std::int64_t bytes = 0;
  std::shared_ptr<void> end = nullptr;
};

/// Lets a device hold a part of an image in up to `most` bytes of host memory if the image may be too large for the
/// device and must not go to the CPU; says so of `name` if it is. No bytes are allowed if `most` is too little.
AllowedMemory allow_host_memory(const RunPlan& plan, const std::string& name, std::int64_t most,
                                const Execution& execution);

/// Total inflated size of the gzipped files among `paths`, as their last bytes state it.
std::int64_t gzipped_sizes(const std::vector<std::string>& paths);

/// The files that are opened with every image of a file: those combined with the image, its reference, and its
/// detection image. The latter two come with files of their own.
std::vector<std::string> files_beside(const ImageFile& file);

/// The files that are opened for a detection image.
std::vector<std::string> files_of(const DetectionTask& detection);

}  // namespace srcextract
