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

/// Which Gaussians are added to a map.
struct InjectionPlan {
  std::int64_t number = 2000;
  double least_snr = 3, most_snr = 100;
  InjectedShapes shapes = InjectedShapes::points;
  /// largest number of extractions to add `number` Gaussians; 0: a limit that follows from `number`
  std::int64_t rounds = 0;
};

/// The quantities whose measured and true values are compared. Positions are in pixels.
enum InjectedValue : std::size_t { injected_peak, injected_total, injected_x, injected_y, injected_values };

/// A Gaussian that was added to a map, and the measured values. Fluxes are in pixel values; positions in pixels, from
/// 0.
struct InjectedRow {
  std::int64_t round = 0;
  double snr = 0;  ///< true peak over the noise of a pixel at the Gaussian's position
  GaussianShape shape;
  bool found = false;
  std::array<double, injected_values> truth = {}, measured = {}, error = {};  ///< measured and error are set if found

  double pull(InjectedValue value) const { return (measured[value] - truth[value]) / error[value]; }
};

/// Median and width of a distribution. The width is half the difference of the percentiles 84.1 and 15.9. NaN for fewer
/// than 5 values.
struct MedianAndWidth {
  double median = std::numeric_limits<double>::quiet_NaN(), width = median;
};

/// Results for the Gaussians in one range of S/N, [low, high).
struct InjectionBin : FoundShare {
  double low = 0, high = 0;
  MedianAndWidth peak_ratio, total_ratio;  ///< measured value over true value, of the Gaussians that were found
  std::array<MedianAndWidth, injected_values> pulls = {};
};

/// Results of injecting Gaussians: which Gaussians the extraction finds, and how well the measured values agree with
/// the true values.
struct Injection {
  InjectionPlan plan;
  std::string problem = {};  ///< why nothing was injected; empty: Gaussians were injected
  std::int64_t rounds = 0;
  std::vector<InjectedRow> rows = {};
  std::vector<InjectionBin> bins = {};  ///< in ascending order of S/N
};

/// Summarises the rows in bins of S/N; bins without rows are left out.
std::vector<InjectionBin> summarize_rows(std::span<const InjectedRow> rows, const InjectionPlan& plan);

/// Describes the result, or the problem, in words.
std::string describe_injection(const Injection& injection);

}  // namespace srcextract
