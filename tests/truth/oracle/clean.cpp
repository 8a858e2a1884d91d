#include "tests/truth/oracle/clean.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace srcextract::oracle {
namespace {

/// Whether the Moffat profile of `big`, beyond its isophote, is brighter where `small` is than what makes that one a
/// source.
bool can_absorb(const Object& big, const Object& small, double beta) {
  const Ellipse& e = big.shape.ellipse;
  const auto dx = static_cast<float>(small.shape.x - big.shape.x), dy = static_cast<float>(small.shape.y - big.shape.y);
  const float reach = 10 * (e.a + small.shape.ellipse.a);
  if (!(dx * dx + dy * dy < reach * reach)) return false;
  const double area = std::numbers::pi * e.a * e.b;
  const double height = big.filtered_flux / (2 * area * big.shape.abcor);
  const double ratio = height / big.threshold;
  const double alpha =
      ((beta == 1 ? ratio : std::pow(ratio, 1 / beta)) - 1) * area / static_cast<double>(big.filtered_area);
  const double fall = 1 + alpha * (e.cxx * dx * dx + e.cyy * dy * dy + e.cxy * dx * dy);
  if (!(fall > 1)) return false;
  const double value = fall < 1e10 ? height * (beta == 1 ? 1 / fall : std::pow(fall, -beta)) : 0;
  return value > small.mthresh;
}

void merge(Object& absorber, Object& absorbed) {
  absorbed.absorbed_by = absorber.number;
  absorber.filtered_area += absorbed.filtered_area;
  absorber.filtered_flux += absorbed.filtered_flux;
  absorber.flux += absorbed.flux;
  absorber.variance += absorbed.variance;
  absorber.flags |= absorbed.flags & ~(crowded | split);
  if (absorbed.filtered_peak > absorber.filtered_peak) {
    absorber.filtered_peak = absorbed.filtered_peak;
    absorber.x_peak = absorbed.x_peak;
    absorber.y_peak = absorbed.y_peak;
  }
  absorber.peak = std::max(absorber.peak, absorbed.peak);
  absorber.x_min = std::min(absorber.x_min, absorbed.x_min);
  absorber.x_max = std::max(absorber.x_max, absorbed.x_max);
  absorber.y_min = std::min(absorber.y_min, absorbed.y_min);
  absorber.y_max = std::max(absorber.y_max, absorbed.y_max);
}

/// As objects are completed, each is compared with the list of those that are there, whose order is not kept when one
/// is taken out.
void clean_streaming(std::vector<Object>& objects, double beta) {
  std::vector<Object*> list;
  for (Object& newcomer : objects) {
    std::vector<std::size_t> victims;
    Object* absorber = nullptr;
    for (std::size_t i = 0; i < list.size() && absorber == nullptr; ++i) {
      if (newcomer.filtered_flux > list[i]->filtered_flux) {
        if (can_absorb(newcomer, *list[i], beta)) victims.push_back(i);
      } else if (can_absorb(*list[i], newcomer, beta)) {
        absorber = list[i];
      }
    }
    if (absorber != nullptr) {
      merge(*absorber, newcomer);
      continue;
    }
    for (const std::size_t i : victims) merge(newcomer, *list[i]);
    for (auto i = victims.rbegin(); i != victims.rend(); ++i) {
      list[*i] = list.back();
      list.pop_back();
    }
    list.push_back(&newcomer);
  }
}

/// The same whatever the order: from the brightest on, a source is absorbed if a survivor brighter than it can absorb
/// it, by what each was before it absorbed; the first in the order of completion does.
void clean_order_free(std::vector<Object>& objects, double beta) {
  std::vector<std::size_t> by_flux(objects.size());
  std::iota(by_flux.begin(), by_flux.end(), std::size_t{0});
  std::stable_sort(by_flux.begin(), by_flux.end(),
                   [&](std::size_t a, std::size_t b) { return objects[a].filtered_flux > objects[b].filtered_flux; });
  std::vector<std::size_t> survivors;
  std::vector<std::pair<std::size_t, std::size_t>> meals;
  for (const std::size_t j : by_flux) {
    std::size_t absorber = objects.size();
    for (const std::size_t i : survivors) {
      if (i < absorber && can_absorb(objects[i], objects[j], beta)) absorber = i;
    }
    if (absorber == objects.size()) {
      survivors.push_back(j);
    } else {
      meals.emplace_back(absorber, j);
    }
  }
  std::sort(meals.begin(), meals.end());
  for (const auto& [absorber, absorbed] : meals) merge(objects[absorber], objects[absorbed]);
}

}  // namespace

void clean(std::vector<Object>& objects, const Settings& settings) {
  if (settings.streaming_clean) {
    clean_streaming(objects, settings.clean_param);
  } else {
    clean_order_free(objects, settings.clean_param);
  }
}

}  // namespace srcextract::oracle
