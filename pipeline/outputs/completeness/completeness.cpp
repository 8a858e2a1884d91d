#include "pipeline/outputs/completeness/completeness.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// The faintest magnitude at which the share of found copies falls below `share`. Empty if there is no such magnitude.
std::optional<double> limit_of(const std::vector<CompletenessBin>& bins, double share) {
  const CompletenessBin* fainter = nullptr;
  for (std::size_t i = bins.size(); i-- > 0;) {
    const CompletenessBin& bin = bins[i];
    if (bin.copies == 0) continue;
    if (bin.share >= share) {
      if (fainter == nullptr) return std::nullopt;
      const double part = (bin.share - share) / (bin.share - fainter->share);
      return bin.low + completeness_step / 2 + part * (fainter->low - bin.low);
    }
    fainter = &bin;
  }
  return std::nullopt;
}

}  // namespace

void FoundShare::set_share() {
  if (copies == 0) return;
  const auto n = static_cast<double>(copies);
  share = static_cast<double>(found) / n;
  const double middle = (share + 0.5 / n) / (1 + 1 / n);
  const double half = std::sqrt(share * (1 - share) / n + 0.25 / (n * n)) / (1 + 1 / n);
  least = std::max(0.0, middle - half);
  most = std::min(1.0, middle + half);
}

std::string describe_completeness(const Completeness& completeness) {
  if (!completeness.problem.empty()) return "The completeness is not known: " + completeness.problem + ".";
  const auto limit = [&](const char* share, const std::optional<double>& magnitude) {
    return magnitude ? fmt::format("{} are found at magnitude {:.2f}", share, *magnitude)
                     : fmt::format("where {} are found is not known", share);
  };
  return fmt::format("{} fainter copies of {} of the image were put into it, in {} of their own: {}, {}.",
                     completeness.copies, counted(completeness.templates, "star"),
                     counted(completeness.passes, "extraction"), limit("50 %", completeness.half),
                     limit("90 %", completeness.nine_tenths));
}

Completeness summarize_copies(std::span<const CopyResult> copies) {
  Completeness all;
  all.copies = std::ssize(copies);
  if (copies.empty()) return all;
  const auto [brightest, faintest] = std::ranges::minmax(copies, {}, &CopyResult::magnitude);
  const double low = std::floor(brightest.magnitude / completeness_step) * completeness_step;
  const auto bin_of = [&](double magnitude) { return static_cast<std::size_t>((magnitude - low) / completeness_step); };
  all.bins.resize(bin_of(faintest.magnitude) + 1);
  for (std::size_t i = 0; i < all.bins.size(); ++i) all.bins[i].low = low + static_cast<double>(i) * completeness_step;
  for (const CopyResult& copy : copies) {
    CompletenessBin& bin = all.bins[bin_of(copy.magnitude)];
    ++bin.copies;
    bin.found += copy.found ? 1 : 0;
  }
  std::ranges::for_each(all.bins, &CompletenessBin::set_share);
  all.half = limit_of(all.bins, 0.5);
  all.nine_tenths = limit_of(all.bins, 0.9);
  return all;
}

}  // namespace srcextract
