#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pipeline/outputs/completeness/completeness.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {

enum class InjectedShapes { points, catalogue };

/// The Gaussians that are added to a map.
struct InjectionPlan {
  std::int64_t number = 2000;
  double least_snr = 3, most_snr = 100;
  InjectedShapes shapes = InjectedShapes::points;
  std::int64_t rounds = 0;  ///< number of extractions; 0: as many as `number` needs
};

/// The quantities that are compared with the injected truth. Positions are in pixels.
enum InjectedValue : std::size_t { injected_peak, injected_total, injected_x, injected_y, injected_values };

/// A Gaussian that was injected into a map, and its measured values. Fluxes are in pixel values; positions in pixels,
/// from 0.
struct InjectedRow {
  std::int64_t round = 0;
  double snr = 0;  ///< true peak over the noise of a pixel at its position
  GaussianShape shape;
  bool found = false;
  std::array<double, injected_values> truth = {}, measured = {}, error = {};  ///< measured and error: if it was found

  double pull(InjectedValue value) const { return (measured[value] - truth[value]) / error[value]; }
};

/// Median and width of a distribution. The width is half the distance between percentiles 15.9 and 84.1. NaN for fewer
/// than 5 values.
struct MedianAndWidth {
  double median = std::numeric_limits<double>::quiet_NaN(), width = median;
};

/// The Gaussians of one range of S/N.
struct InjectionBin : FoundShare {
  double low = 0, high = 0;
  MedianAndWidth peak_ratio, total_ratio;  ///< measured over true, of the Gaussians that were found
  std::array<MedianAndWidth, injected_values> pulls = {};
};

/// Which Gaussians an extraction finds, and how well it measures them.
struct Injection {
  InjectionPlan plan;
  std::string problem = {};  ///< why nothing was injected; empty: Gaussians were injected
  std::int64_t rounds = 0;
  std::vector<InjectedRow> rows = {};
  std::vector<InjectionBin> bins = {};  ///< by S/N
};

/// Summarises the rows in bins of S/N; bins without rows are left out.
std::vector<InjectionBin> summarize_rows(std::span<const InjectedRow> rows, const InjectionPlan& plan);

/// The result in words, or why there is none.
std::string describe_injection(const Injection& injection);

}  // namespace srcextract
