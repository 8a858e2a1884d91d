#pragma once

#include <algorithm>
#include <span>

#include "cuda/device/memory.hpp"
#include "cuda/device/pinned.hpp"
#include "pipeline/chain/detect_sources.hpp"

namespace srcextract {

/// Copies the first `count` elements on the device.
template <class T>
Buffer<T, Gpu> first_of(const Buffer<T, Gpu>& buffer, std::int64_t count, const Gpu& where) {
  Buffer<T, Gpu> copy(count, where);
  if (count == 0) return copy;
  check(cudaMemcpyAsync(copy.data(), buffer.data(), static_cast<std::size_t>(count) * sizeof(T),
                        cudaMemcpyDeviceToDevice, where.stream));
  return copy;
}

/// What the detection steps leave of an image but the sums of its sources.
struct ImageSummary {
  Background background;
  Background whole;  ///< where a mesh was subtracted, else the same
  Levels levels;
  MaskCounts masked;
  ComponentCounts counts;
  std::int64_t runs;
  std::int64_t thresholded;  ///< runs before they were cleaned
  std::int64_t seeds;        ///< runs of them; where there are none as many as there are runs
  std::int64_t analysed;     ///< runs above the analysis threshold, likewise
  std::int64_t island_runs;  ///< before they were deblended, likewise
  ComponentCounts islands;   ///< likewise

  /// What there must be room for.
  Capacity needed() const {
    return {std::max({runs, thresholded, seeds, analysed, island_runs}), std::max(counts.kept, islands.kept)};
  }
};

/// Copies on the device, of all that there is room for.
template <class T>
Buffer<T, Gpu> copy_of(const Buffer<T, Gpu>& buffer, const Gpu& where) {
  return first_of(buffer, buffer.size(), where);
}
template <class T>
Value<T, Gpu> copy_of(const Value<T, Gpu>& value, const Gpu& where) {
  if (value.data() == nullptr) return {};
  Value<T, Gpu> copy(where);
  check(cudaMemcpyAsync(copy.data(), value.data(), sizeof(T), cudaMemcpyDeviceToDevice, where.stream));
  return copy;
}

/// What was found, without the sums; with the runs, and labels, only if all are wanted. Waits for the stream.
Detection<Cpu> to_host(const ImageSummary& summary, const Detection<Gpu>& found, bool every_run, const Gpu& where);

/// What there is of every source; nothing if it was not made.
template <class Row>
Buffer<Row, Cpu> rows_to_host(const Buffer<Row, Gpu>& rows, const ImageSummary& summary, const Gpu& where) {
  return rows.empty() ? Buffer<Row, Cpu>() : to_host(rows, summary.counts.kept, where);
}

/// What was measured of every source.
inline Photometry<Cpu> rows_to_host(const Photometry<Gpu>& there, const ImageSummary& summary, const Gpu& where) {
  Photometry<Cpu> here;
  for_each_family([&]<class One>(auto&& rows_of) {
    const auto& from = rows_of(there);
    rows_of(here).each = from.each;
    if (!from.rows.empty()) rows_of(here).rows = to_host(from.rows, summary.counts.kept * from.each, where);
  });
  return here;
}

/// The sky alone, and levels: background, whole, mesh and levels.
Detection<Cpu> sky_to_host(const Detection<Gpu>& found, const Gpu& where);

/// Leaves of sources, which fit into the room that there was for them, no room for more: copies of them are then of
/// what there is.
void leave_no_room(const ImageSummary& summary, Detection<Gpu>& found, const Gpu& where);

/// to_host() with everything else that the steps have made, for the comparison of back ends.
Detection<Cpu> all_to_host(const ImageSummary& summary, const Detection<Gpu>& found, const Gpu& where);

/// What the host learns of every image, in page-locked memory that is kept from image to image.
class HostResults {
 public:
  using Summary = ImageSummary;

  HostResults();

  /// Queues the copies, waits for the stream, and returns the summary. Of the sums those come along for which there is
  /// room from earlier images.
  const Summary& receive(const Pixels<Gpu>& pixels, const Detection<Gpu>& found, const Gpu& where);

  /// The sums of all sources that were received and, where there was no room, are fetched now; until the next
  /// receive().
  std::span<const SourceSums> sums(const Detection<Gpu>& found, const Gpu& where);

  /// To be called when `found` is new: nothing is in its memory yet.
  void forget_rows() { rows_written_ = 0; }

 private:
  void make_room();
  Summary& summary() { return *reinterpret_cast<Summary*>(summary_.data()); }

  PinnedBuffer summary_;
  PinnedBuffer rows_{0};
  Buffer<SourceSums, Cpu> unforeseen_;  ///< rows of an image that has more than there is room for
  std::int64_t room_ = 0;               ///< rows that fit into rows_
  std::int64_t wanted_room_ = 0;
  std::int64_t rows_written_ = 0;  ///< rows of `found` that some image has filled
  std::int64_t rows_here_ = 0;     ///< rows of this image in rows_
};

}  // namespace srcextract
