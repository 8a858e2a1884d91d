#pragma once

#include <algorithm>
#include <span>

#include "cuda/device/memory.hpp"
#include "cuda/device/pinned.hpp"
#include "pipeline/chain/detect_sources.hpp"

namespace srcextract {

/// Copies the first `count` elements within device memory. Does not wait.
template <class T>
Buffer<T, Gpu> first_of(const Buffer<T, Gpu>& buffer, std::int64_t count, const Gpu& where) {
  Buffer<T, Gpu> copy(count, where);
  if (count == 0) return copy;
  check(cudaMemcpyAsync(copy.data(), buffer.data(), static_cast<std::size_t>(count) * sizeof(T),
                        cudaMemcpyDeviceToDevice, where.stream));
  return copy;
}

inline constexpr int run_parts = parts_of(PartKind::runs), component_parts = parts_of(PartKind::components);

/// Sky, levels, mask counts, and numbers of runs and sources of an image, in host memory.
struct ImageSummary {
  Background background;
  Background whole;  ///< with a mesh: sky of the image before the mesh was subtracted; else equal to `background`
  Levels levels;
  MaskCounts masked;
  /// Number of runs in each part of kind PartKind::runs, in the order of for_each_part(). For a part that is empty, the
  /// number is that of the first part.
  std::int64_t run_counts[run_parts];
  ComponentCounts component_counts[component_parts];

  std::int64_t runs() const { return run_counts[0]; }
  const ComponentCounts& counts() const { return component_counts[0]; }
  std::int64_t sources() const { return counts().kept; }

  /// The capacity that the buffers need for this image.
  Capacity needed() const {
    const auto kept = [](const ComponentCounts& one) { return one.kept; };
    return {std::ranges::max(run_counts), kept(std::ranges::max(component_counts, {}, kept))};
  }
};

/// Copies within device memory. Buffers are copied up to their capacity. Does not wait.
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

/// Copies the sky, the levels and the counts to host memory, and with `every_run` also the runs and labels of the last
/// step. Waits for the copies.
Detection<Cpu> to_host(const ImageSummary& summary, const Detection<Gpu>& found, bool every_run, const Gpu& where);

/// Copies the rows of all sources to host memory. Empty if no step made `rows`.
template <class Row>
Buffer<Row, Cpu> rows_to_host(const Buffer<Row, Gpu>& rows, std::int64_t sources, const Gpu& where) {
  return rows.empty() ? Buffer<Row, Cpu>() : to_host(rows, sources, where);
}

/// Copies the photometry of all sources to host memory.
inline Photometry<Cpu> rows_to_host(const Photometry<Gpu>& there, std::int64_t sources, const Gpu& where) {
  Photometry<Cpu> here;
  for_each_family([&]<class One>() {
    const auto& from = there.of<One>();
    here.of<One>().each = from.each;
    if (!from.rows.empty()) here.of<One>().rows = to_host(from.rows, sources * from.each, where);
  });
  return here;
}

/// Copies to `here` all rows of sources that the catalogue needs, except `sums`, which HostResults copies.
inline void rows_to_host(const Detection<Gpu>& there, std::int64_t sources, Detection<Cpu>& here, const Gpu& where) {
  const auto bring = [&](auto part, const auto& from, auto& to) {
    if constexpr (part.kind == PartKind::rows || part.kind == PartKind::families)
      if (static_cast<const void*>(&from) != &there.sums) to = rows_to_host(from, sources, where);
  };
  for_each_part(bring, there, here);
  here.cleaned.own_sums = rows_to_host(there.cleaned.own_sums, sources, where);
}

/// Copies the sky and the levels to host memory: background, whole, mesh and levels.
Detection<Cpu> sky_to_host(const Detection<Gpu>& found, const Gpu& where);

/// Shrinks the buffers of sources to the number of runs and sources, so that copies of the buffers are no larger. All
/// runs and sources must have fitted into the buffers.
void leave_no_room(const ImageSummary& summary, Detection<Gpu>& found, const Gpu& where);

/// Copies the runs of every step to `here`.
void runs_to_host(const ImageSummary& summary, const Detection<Gpu>& found, Detection<Cpu>& here, const Gpu& where);

/// Copies the results of all steps to host memory, for the comparison of back ends.
Detection<Cpu> all_to_host(const ImageSummary& summary, const Detection<Gpu>& found, const Gpu& where);

/// Results of every image that the host reads, in page-locked memory that is kept from image to image.
class HostResults {
 public:
  using Summary = ImageSummary;

  HostResults();

  /// Queues the copies, waits for the stream, and returns the summary. To save a second copy, also copies as many sums
  /// as earlier images had sources.
  const Summary& receive(const Pixels<Gpu>& pixels, const Detection<Gpu>& found, const Gpu& where);

  /// The sums of all sources, valid until the next receive(). Copies those sums that receive() did not copy.
  std::span<const SourceSums> sums(const Detection<Gpu>& found, const Gpu& where);

  /// To be called when the next `found` has new buffers, into which no image has written.
  void forget_rows() { rows_written_ = 0; }

 private:
  void make_room();
  Summary& summary() { return *reinterpret_cast<Summary*>(summary_.data()); }

  PinnedBuffer summary_;
  PinnedBuffer rows_{0};
  Buffer<SourceSums, Cpu> unforeseen_;  ///< sums of an image with more sources than `rows_` holds
  std::int64_t room_ = 0;               ///< number of rows that `rows_` holds
  std::int64_t wanted_room_ = 0;
  std::int64_t rows_written_ =
      0;  ///< number of rows of found.sums into which an earlier image has written; the rows beyond contain no values
  std::int64_t rows_here_ = 0;  ///< number of rows of this image that are in `rows_`
};

}  // namespace srcextract
