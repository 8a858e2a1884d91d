#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <stdexcept>

#include "tests/cuda/sky/sorted_clip.hpp"

namespace srcextract::testing {

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// A CUB call is made twice: to ask for memory, and with it.
template <class Call>
void with_memory(const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  thrust::device_vector<unsigned char> memory(bytes);
  check(call(thrust::raw_pointer_cast(memory.data()), bytes));
}

thrust::device_vector<float> sorted(const std::vector<float>& unsorted) {
  const thrust::device_vector<float> in(unsorted.begin(), unsorted.end());
  thrust::device_vector<float> out(in.size());
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, thrust::raw_pointer_cast(in.data()),
                                          thrust::raw_pointer_cast(out.data()), static_cast<int>(in.size()));
  });
  return out;
}

/// (x - origin)^power of a pixel.
struct Power {
  double origin;
  int power;
  __host__ __device__ double operator()(float x) const {
    const double deviation = x - origin;
    return power == 1 ? deviation : deviation * deviation;
  }
};

thrust::device_vector<double> running_sums(const thrust::device_vector<float>& pixels, const Power& power) {
  thrust::device_vector<double> sums(pixels.size());
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, thrust::make_transform_iterator(pixels.begin(), power),
                                         sums.begin(), static_cast<int>(pixels.size()));
  });
  return sums;
}

/// Sorted pixels, and what is known of any range of them.
class SortedPixels {
 public:
  explicit SortedPixels(const std::vector<float>& unmasked)
      : pixels_(sorted(unmasked)),
        origin_(pixels_[pixels_.size() / 2]),
        first_(running_sums(pixels_, {origin_, 1})),
        second_(running_sums(pixels_, {origin_, 2})) {}

  std::int64_t size() const { return static_cast<std::int64_t>(pixels_.size()); }
  std::int64_t count_up_to(double value) const {
    return thrust::upper_bound(thrust::device, pixels_.begin(), pixels_.end(), value) - pixels_.begin();
  }
  std::int64_t count_below(double value) const {
    return thrust::lower_bound(thrust::device, pixels_.begin(), pixels_.end(), value) - pixels_.begin();
  }

  void describe(std::int64_t begin, std::int64_t end, SortedClip& to) const {
    const auto n = static_cast<double>(end - begin);
    const auto sum = [&](const thrust::device_vector<double>& sums) {
      return sums[end - 1] - (begin > 0 ? static_cast<double>(sums[begin - 1]) : 0);
    };
    const double mean = sum(first_) / n;
    to.count = end - begin;
    to.mean = origin_ + mean;
    to.sigma = std::sqrt(std::max(sum(second_) / n - mean * mean, 0.0));
    to.min = pixels_[begin];
    to.max = pixels_[end - 1];
    const std::int64_t middle = begin + to.count / 2;
    to.median = pixels_[middle];
    if (to.count % 2 == 0) to.median = (to.median + pixels_[middle - 1]) / 2;
  }

 private:
  thrust::device_vector<float> pixels_;
  double origin_;
  thrust::device_vector<double> first_, second_;
};

}  // namespace

SortedClip sorted_clip(const std::vector<float>& pixels, double kappa, std::int64_t max_iterations) {
  std::vector<float> unmasked;
  std::copy_if(pixels.begin(), pixels.end(), std::back_inserter(unmasked), [](float x) { return !std::isnan(x); });
  const SortedPixels all(unmasked);
  SortedClip clip;
  std::int64_t begin = 0;
  std::int64_t end = all.size();
  all.describe(begin, end, clip);
  while (clip.sigma > 0 && (max_iterations == 0 || clip.iterations < max_iterations)) {
    const std::int64_t next_begin = std::max(begin, all.count_up_to(clip.median - kappa * clip.sigma));
    const std::int64_t next_end = std::min(end, all.count_below(clip.median + kappa * clip.sigma));
    clip.converged = next_begin == begin && next_end == end;
    if (clip.converged || next_begin >= next_end) return clip;
    begin = next_begin;
    end = next_end;
    all.describe(begin, end, clip);
    ++clip.iterations;
  }
  clip.converged = clip.sigma == 0;
  return clip;
}

}  // namespace srcextract::testing
