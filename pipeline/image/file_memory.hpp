#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/chain/plan_memory.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/machine/backend.hpp"

namespace srcextract {

/// The memory plan of an image in `file`, before the image is opened. Plan::beside counts what is read for this
/// image alone: decompressed tiles of the image and its maps, and gzipped files that are opened with the image. The
/// file itself and the files of maps are not counted. `compares`: whether both back ends extract the image.
Plan plan_of(const SelectedImage& image, const SelectedMaps& maps, const ImageFile& file, bool compares);

/// Upper limit of the memory for a gzipped file, which inflates to `inflated` bytes, and its images, if one back end
/// extracts the images. The pixel type is not known before the file is opened, so each byte counts as a pixel.
std::int64_t most_needed(std::int64_t inflated, const ImageFile& file);

/// Lets the CPU extract an image by rows (only some rows in memory at a time) if `memory`, from host_memory_within(),
/// has a part for rows. Logs that for `name` if the execution uses no GPU.
void go_by_rows(const Plan& plan, const HostMemory& memory, const std::string& name, Execution& execution);

/// Runs `extract`, which uses `execution` and may use `memory` for an image. If the sources found leave too little
/// memory for the image as a whole on the CPU (NoRoom), runs `extract` again by rows, with the memory `less`.
void within_memory(const HostMemory& memory, const HostMemory& less, const std::string& name, Execution& execution,
                   const std::function<void()>& extract);

/// Host memory that a GPU may use for the current image. Destroying the last copy releases the memory.
struct AllowedMemory {
  std::int64_t bytes = 0;
  std::shared_ptr<void> end = nullptr;
};

/// Lets a GPU use up to `most` bytes of host memory for an image that may be too large for the GPU and must not be
/// extracted on the CPU. Logs that for `name` if the image is too large. Allows no memory if `most` bytes are not
/// enough.
AllowedMemory allow_host_memory(const Plan& plan, const std::string& name, std::int64_t most,
                                const Execution& execution);

/// Sum of the inflated sizes of the gzipped files among `paths`, as their last bytes state them.
std::int64_t gzipped_sizes(const std::vector<std::string>& paths);

/// The files that are opened with every image of a file: the files combined with it, its reference, and its detection
/// image. For the latter two, their combined files and maps are included.
std::vector<std::string> files_beside(const ImageFile& file);

/// The files that are opened for a detection image: the image, its combined files, and its maps.
std::vector<std::string> files_of(const DetectionTask& detection);

}  // namespace srcextract
