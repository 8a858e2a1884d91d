#include "pipeline/outputs/injection/injection.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

constexpr std::array<double, 16> snr_steps = {3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 10000};

/// Borders of the S/N bins: both ends of the plan's range, and the values of snr_steps inside the range.
std::vector<double> edges_of(const InjectionPlan& plan) {
  std::vector<double> edges = {plan.least_snr};
  for (const double step : snr_steps)
    if (step > plan.least_snr && step < plan.most_snr) edges.push_back(step);
  edges.push_back(plan.most_snr);
  return edges;
}

/// The value below which the fraction `share` of the sorted values lies, interpolated linearly.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1), whole = std::floor(place);
  const auto i = static_cast<std::size_t>(whole);
  return i + 1 < sorted.size() ? sorted[i] + (place - whole) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

MedianAndWidth spread_of(std::vector<double> values) {
  constexpr double one_below = 0.15865525393145707;
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.size() < 5) return {};
  std::ranges::sort(values);
  return {quantile(values, 0.5), (quantile(values, 1 - one_below) - quantile(values, one_below)) / 2};
}

void summarize(const std::vector<const InjectedRow*>& found, InjectionBin& bin) {
  const auto spread = [&](const auto& of) {
    std::vector<double> values;
    for (const InjectedRow* const row : found) values.push_back(of(*row));
    return spread_of(std::move(values));
  };
  const auto ratio = [&](InjectedValue value) {
    return spread([value](const InjectedRow& row) { return row.measured[value] / row.truth[value]; });
  };
  bin.peak_ratio = ratio(injected_peak);
  bin.total_ratio = ratio(injected_total);
  for (std::size_t value = 0; value < injected_values; ++value)
    bin.pulls[value] = spread([value](const InjectedRow& row) { return row.pull(static_cast<InjectedValue>(value)); });
}

}  // namespace

std::vector<InjectionBin> summarize_rows(std::span<const InjectedRow> rows, const InjectionPlan& plan) {
  const std::vector<double> edges = edges_of(plan);
  std::vector<InjectionBin> bins;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    InjectionBin bin;
    bin.low = edges[i];
    bin.high = edges[i + 1];
    const bool first = i == 0, last = i + 2 == edges.size();
    std::vector<const InjectedRow*> found;
    for (const InjectedRow& row : rows) {
      if ((!first && row.snr < bin.low) || (!last && row.snr >= bin.high)) continue;
      ++bin.copies;
      if (row.found) found.push_back(&row);
    }
    if (bin.copies == 0) continue;
    bin.found = std::ssize(found);
    bin.set_share();
    summarize(found, bin);
    bins.push_back(bin);
  }
  return bins;
}

std::string describe_injection(const Injection& injection) {
  if (!injection.problem.empty()) return "The completeness is not known: " + injection.problem + ".";
  const std::int64_t found = std::ranges::count_if(injection.rows, &InjectedRow::found);
  return fmt::format("{} of {:.3g} to {:.3g} sigma, {}, were put into the residual map in {}: {} were found.",
                     counted(std::ssize(injection.rows), "Gaussian"), injection.plan.least_snr, injection.plan.most_snr,
                     injection.plan.shapes == InjectedShapes::points ? "with the shape of the beam"
                                                                     : "with shapes of the map's own Gaussians",
                     counted(injection.rounds, "round"), found);
}

}  // namespace srcextract
