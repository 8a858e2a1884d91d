#include "stages/fit/reliability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace srcextract {
namespace {

constexpr std::array<double, 15> snr_edges = {
    0, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 10, 15, 30, 100, std::numeric_limits<double>::infinity()};

double snr_of(const ComponentRow& row) {
  return row.peak / row.of_island.rms;
}

/// Returns the index of the bin of this S/N: the last bin whose lower edge is not above the S/N.
std::size_t bin_of(double snr) {
  std::size_t bin = 0;
  while (bin + 2 < snr_edges.size() && snr >= snr_edges[bin + 1]) ++bin;
  return bin;
}

std::vector<ReliabilityBin> empty_bins() {
  std::vector<ReliabilityBin> bins;
  for (std::size_t i = 0; i + 1 < snr_edges.size(); ++i)
    bins.push_back({.low = snr_edges[i], .high = snr_edges[i + 1]});
  return bins;
}

/// Upper and lower limits of the mean of a Poisson distribution, each with 84 % confidence, after n counts (Gehrels
/// 1986).
double upper_mean(double n) {
  return n + std::sqrt(n + 0.75) + 1;
}
double lower_mean(double n) {
  if (n == 0) return 0;
  const double root = 1 - 1 / (9 * n) - 1 / (3 * std::sqrt(n));
  return n * root * root * root;
}

void set_share(ReliabilityBin& bin) {
  if (bin.positive == 0) return;
  const auto positive = static_cast<double>(bin.positive), negative = static_cast<double>(bin.negative);
  const auto share = [&](double of_negative) { return std::clamp(1 - of_negative / positive, 0.0, 1.0); };
  bin.share = share(negative);
  bin.least = share(upper_mean(negative));
  bin.most = share(lower_mean(negative));
}

/// The very bright sources of a map, sorted by y for are_near().
class BrightSources {
 public:
  BrightSources(const std::vector<ComponentRow>& sources, double within) : within_(within) {
    std::ranges::copy_if(sources, std::back_inserter(bright_),
                         [](const ComponentRow& row) { return snr_of(row) >= very_bright_snr; });
    std::ranges::stable_sort(bright_, {}, &ComponentRow::y);
  }

  std::int64_t count() const { return std::ssize(bright_); }
  bool are_near(const ComponentRow& row) const {
    for (auto one = std::ranges::lower_bound(bright_, row.y - within_, {}, &ComponentRow::y);
         one != bright_.end() && one->y <= row.y + within_; ++one)
      if (length_of(one->x - row.x, one->y - row.y) <= within_) return true;
    return false;
  }

 private:
  double within_;
  std::vector<ComponentRow> bright_;
};

}  // namespace

Reliability find_reliability(std::vector<ComponentRow>& sources, std::vector<ComponentRow>& gaussians,
                             const std::vector<ComponentRow>& negative, double beam_side) {
  Reliability out;
  out.within = disturbed_beams * beam_side;
  const BrightSources bright(sources, out.within);
  out.negative = std::ssize(negative);
  out.bright = bright.count();
  out.near = out.elsewhere = empty_bins();
  const auto bin = [&](const ComponentRow& row) -> ReliabilityBin& {
    return (bright.are_near(row) ? out.near : out.elsewhere)[bin_of(snr_of(row))];
  };
  for (const ComponentRow& row : sources) ++bin(row).positive;
  for (const ComponentRow& row : negative) ++bin(row).negative;
  for (std::vector<ReliabilityBin>* bins : {&out.near, &out.elsewhere}) std::ranges::for_each(*bins, set_share);
  const auto set = [](ComponentRow& row, double share) { row.reliability = row.reliability > 0 ? share : 0; };
  std::vector<double> shares;
  for (const ComponentRow& row : sources) shares.push_back(bin(row).share);
  for (std::size_t i = 0; i < sources.size(); ++i) set(sources[i], shares[i]);
  for (ComponentRow& row : gaussians) set(row, shares[static_cast<std::size_t>(row.source - 1)]);
  for (std::vector<ReliabilityBin>* bins : {&out.near, &out.elsewhere})
    std::erase_if(*bins, [](const ReliabilityBin& of) { return of.positive + of.negative == 0; });
  return out;
}

}  // namespace srcextract
