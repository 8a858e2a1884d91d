#include "cuda/engine/image_group_results.hpp"

#include <algorithm>

#include "cuda/device/launch.hpp"
#include "cuda/engine/summary_parts.hpp"
#include "pipeline/chain/stage_list.hpp"

namespace srcextract {

namespace {

/// Four times the sources of a normal field come along; copying more of a crowded one is a call of its own.
constexpr std::int64_t pixels_per_row = 256;
constexpr std::int64_t least_rows = 64;

/// What a block brings of an image.
struct Delivery {
  SummaryParts parts;
  const SourceSums* sums;
  std::int64_t rows;  ///< at most
  ImageSummary* summary_there;
  SourceSums* rows_there;
};

struct Deliveries {
  Delivery of_image[most_images_in_a_launch];
};
static_assert(sizeof(Deliveries) < 4096);  // a kernel's parameters

/// Writes across the bus: page-locked memory has the same address on both sides.
__global__ void deliver_kernel(const __grid_constant__ Deliveries deliveries) {
  using Word = unsigned long long;
  static_assert(sizeof(SourceSums) % sizeof(Word) == 0 && alignof(SourceSums) == sizeof(Word));
  const Delivery& own = deliveries.of_image[blockIdx.x];
  if (threadIdx.x == 0) own.parts.write(own.summary_there);
  const std::int64_t words =
      min(own.parts.sources(), own.rows) * static_cast<std::int64_t>(sizeof(SourceSums) / sizeof(Word));
  for (std::int64_t i = threadIdx.x; i < words; i += blockDim.x) {
    reinterpret_cast<Word*>(own.rows_there)[i] = reinterpret_cast<const Word*>(own.sums)[i];
  }
}

constexpr auto summary_bytes = static_cast<std::int64_t>((sizeof(ImageSummary) + 63) / 64 * 64);

std::int64_t bytes_with_rows(std::int64_t rows) {
  return summary_bytes + rows * static_cast<std::int64_t>(sizeof(SourceSums));
}

}  // namespace

void GroupResults::receive(std::span<const Pixels<Gpu>> images, const DetectionGraph& graph, const Gpu& where) {
  unforeseen_ = {};
  rows_ = std::max(least_rows, images.front().image.shape.count() / pixels_per_row);
  const std::int64_t bytes = static_cast<std::int64_t>(images.size()) * bytes_with_rows(rows_);
  if (memory_.size() < bytes) memory_ = PinnedBuffer(bytes);
  Deliveries deliveries{};
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Detection<Gpu>& found = graph.found(i);
    deliveries.of_image[i] = {SummaryParts(images[i], found), found.sums.data(), std::min(rows_, found.sums.size()),
                              reinterpret_cast<ImageSummary*>(place(i)),
                              reinterpret_cast<SourceSums*>(place(i) + summary_bytes)};
  }
  deliver_kernel<<<static_cast<unsigned int>(images.size()), block_threads, 0, where.stream>>>(deliveries);
  check_launch();
  check(cudaStreamSynchronize(where.stream));
}

const ImageSummary& GroupResults::summary(std::size_t image) const {
  return *reinterpret_cast<const ImageSummary*>(place(image));
}

std::span<const SourceSums> GroupResults::sums(std::size_t image, const DetectionGraph& graph, const Gpu& where) {
  const std::int64_t count = summary(image).counts.kept;
  if (count > rows_) {
    unforeseen_ = to_host(graph.found(image).sums, count, where);
    return {unforeseen_.data(), static_cast<std::size_t>(count)};
  }
  return {reinterpret_cast<const SourceSums*>(place(image) + summary_bytes), static_cast<std::size_t>(count)};
}

std::byte* GroupResults::place(std::size_t image) {
  return memory_.data() + static_cast<std::int64_t>(image) * bytes_with_rows(rows_);
}

const std::byte* GroupResults::place(std::size_t image) const {
  return memory_.data() + static_cast<std::int64_t>(image) * bytes_with_rows(rows_);
}

}  // namespace srcextract
