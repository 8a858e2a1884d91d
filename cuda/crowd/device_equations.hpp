#pragma once

#include <vector>

#include "cuda/crowd/device_field.hpp"
#include "stages/crowd/equations_view.hpp"

namespace srcextract {

/// The normal equations of a crowd fit (CrowdEquations) in device memory.
class DeviceEquations {
 public:
  /// Sets up the equations as make_equations() does, for `stars`, whose stamps `field` has drawn.
  void make(const DeviceField& field, const DeviceList<CrowdStar>& stars);
  /// Solves the equations as solve_equations() does, with held_step() as prior of positions. The solution is then in
  /// z(). Returns the number of iterations.
  int solve(const DeviceList<CrowdStar>& stars, CrowdFree free, double tolerance, int most, const Gpu& where);

  const EquationsView& view() const { return view_; }
  const double* z() const { return z_.data(); }

 private:
  void find_partners(const DeviceField& field, const DeviceList<CrowdStar>& stars);
  void find_nodes(const DeviceField& field);
  void fill(const DeviceField& field);
  void add_sky(const DeviceField& field);

  EquationsView view_;
  std::int64_t partners_ = 0;
  Buffer<std::int64_t, Gpu> row_, node_row_, star_row_, entry_;
  Buffer<std::int32_t, Gpu> partner_, node_, star_, sky_columns_;
  Buffer<double, Gpu> block_, of_node_, sky_, right_;
  Buffer<double, Gpu> z_, r_, d_, q_, prior_, inverse_, sums_;
};

/// measure_crowd() on a device. Returns the rows in host memory.
std::vector<CrowdRow> measure_crowd(const DeviceField& field, const DevicePsf& psf, const DeviceEquations& equations,
                                    const DeviceList<CrowdStar>& stars);

}  // namespace srcextract
