#include "stages/clean/clean_sources.hpp"

#include <algorithm>
#include <utility>

#include "stages/clean/find_limits.hpp"
#include "stages/clean/shared_cleaning.hpp"
#include "stages/core/contract.hpp"
#include "stages/deblend/host_steps.hpp"

namespace srcextract {
namespace {

template <class T>
Buffer<T, Cpu> first_of(const Buffer<T, Cpu>& all, std::int64_t count, const Cpu& where) {
  Buffer<T, Cpu> first(count, where);
  std::copy_n(all.begin(), count, first.begin());
  return first;
}

}  // namespace

Cleaned<Cpu> clean_sources(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_in_raster_order(sources.runs) && are_labels_of(sources.components, sources.runs));
  SRCEXTRACT_EXPECT(are_labels_of(sources.islands, sources.island_runs));
  SRCEXTRACT_EXPECT(sources.sums.size() == sources.components.counts->kept);
  const HostSteps steps(where);
  Buffer<float, Cpu> limits;
  if (config.deblend.clean) limits = find_limits(images, sources, config.detection, where);
  Cleaned<Cpu> cleaned = SharedCleaning<Cpu, HostSteps, RmsAlongRows>(
                             images, sources, config, sources.islands.counts->kept, RmsAlongRows(images.noise), steps)
                             .clean(kernel_rows, std::move(limits));
  SRCEXTRACT_ENSURE(are_labels_of(cleaned.components, sources.runs));
  const std::int64_t left = cleaned.components.counts->kept;
  cleaned.own_sums = first_of(cleaned.own_sums, left, where);
  cleaned.parentage = first_of(cleaned.parentage, left, where);
  return cleaned;
}

}  // namespace srcextract
