#include <algorithm>

#include "cuda/crowd/device_equations.hpp"
#include "cuda/crowd/ordering.hpp"
#include "cuda/device/launch.hpp"
#include "stages/crowd/measured_star.hpp"

namespace srcextract {
namespace {

constexpr int row_threads = 128;

/// The stars with numbers `first` to first + count - 1.
struct Part {
  std::int64_t first, count;
};

__global__ void count_triangles_kernel(EquationsView of, const CrowdStar* stars, Part part, double reach,
                                       std::int64_t* counts) {
  for (std::int64_t i = thread_index(); i < part.count; i += thread_total())
    counts[i] = ErrorNeighbours(of, stars, part.first + i, reach).triangle();
}

__global__ void __launch_bounds__(row_threads)
    find_errors_kernel(CrowdPixels pixels, EquationsView of, const CrowdStar* stars, Part part, double reach,
                       const std::int64_t* begin, double* triangles, CrowdRow* rows) {
  for (std::int64_t i = thread_index(); i < part.count; i += thread_total()) {
    const std::int64_t star = part.first + i;
    CrowdRow row = row_of(stars[star], pixels);
    find_errors(of, stars, ErrorNeighbours(of, stars, star, reach), triangles + begin[i], row);
    rows[i] = row;
  }
}

/// `wide` are stamps of the same stars, drawn with the PSF convolved with a disk.
__global__ void __launch_bounds__(row_threads)
    describe_kernel(CrowdPixels pixels, const CrowdStamp* stamps, const CrowdStamp* wide, std::int64_t count,
                    double core, CrowdRow* rows) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    CrowdRow row = rows[i];
    describe(sum_stamp(pixels, stamps[i], wide[i].numbers, row.flux, core), row);
    rows[i] = row;
  }
}

}  // namespace

std::vector<CrowdRow> measure_crowd(const DeviceField& field, const DevicePsf& psf, const DeviceEquations& equations,
                                    const DeviceList<CrowdStar>& stars) {
  const Gpu& where = field.where();
  if (stars.count == 0) return {};
  const double reach = ErrorNeighbours::widths * psf.fwhm();
  Buffer<CrowdRow, Gpu> rows(stars.count, where);
  // largest number of stars for which triangles and wide stamps are in memory at the same time
  constexpr std::int64_t together = 1 << 16;
  Buffer<CrowdStamp, Gpu> wide(std::min(together, stars.count), where);
  Buffer<std::int64_t, Gpu> begin(wide.size() + 1, where);
  Buffer<float, Gpu> numbers;
  for (std::int64_t first = 0; first < stars.count; first += together) {
    const Part part{first, std::min(together, stars.count - first)};
    const auto blocks = static_cast<unsigned int>((part.count + row_threads - 1) / row_threads);
    count_triangles_kernel<<<blocks, row_threads, 0, where.stream>>>(equations.view(), stars.data(), part, reach,
                                                                     begin.data());
    check_launch();
    Buffer<double, Gpu> triangles(sum_before(begin, part.count, where), where);
    find_errors_kernel<<<blocks, row_threads, 0, where.stream>>>(
        field.view(), equations.view(), stars.data(), part, reach, begin.data(), triangles.data(), rows.data() + first);
    check_launch();
    check(cudaMemcpyAsync(wide.data(), field.stamps() + first,
                          static_cast<std::size_t>(part.count) * sizeof(CrowdStamp), cudaMemcpyDeviceToDevice,
                          where.stream));
    psf.draw(stars.data() + first, part.count, StampPlanes::spread, wide.data(), numbers, where);
    describe_kernel<<<blocks, row_threads, 0, where.stream>>>(field.view(), field.stamps() + first, wide.data(),
                                                              part.count, psf.fwhm(), rows.data() + first);
    check_launch();
  }
  return to_vector(rows.data(), stars.count, where);
}

}  // namespace srcextract
