#include "tests/truth/oracle/clean.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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

/// Who absorbs an object, and when: as the later of both arrives.
struct Meal {
  std::size_t absorber, time;
};

/// Lets objects arrive at a list whose order is kept. Each has grown by what it absorbed before, of those meals.
std::vector<Meal> let_arrive(const std::vector<Object>& objects, const std::vector<Meal>& meals, double beta) {
  const std::size_t none = objects.size();
  std::vector<std::vector<std::size_t>> eaten(objects.size());
  for (std::size_t j = 0; j < meals.size(); ++j)
    if (meals[j].absorber != none) eaten[meals[j].absorber].push_back(j);
  std::vector<Meal> now(objects.size(), {none, none});
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::vector<std::size_t> menu, kept;
    for (const std::size_t j : list) {
      Object there = objects[j];
      for (const std::size_t k : eaten[j]) {
        if (meals[k].time >= i) continue;
        there.filtered_flux += objects[k].filtered_flux;
        there.filtered_area += objects[k].filtered_area;
      }
      const bool is_brighter = objects[i].filtered_flux > there.filtered_flux;
      if (!is_brighter && now[i].absorber == none && can_absorb(there, objects[i], beta)) now[i] = {j, i};
      (is_brighter && can_absorb(objects[i], there, beta) ? menu : kept).push_back(j);
    }
    if (now[i].absorber != none) continue;
    for (const std::size_t j : menu) now[j] = {i, i};
    list = kept;
    list.push_back(i);
  }
  return now;
}

/// The same in rounds: by what each absorbed in the round before, of those meals that came before.
void clean_in_rounds(std::vector<Object>& objects, double beta) {
  const std::vector<Meal> meals = let_arrive(objects, let_arrive(objects, {}, beta), beta);
  const std::size_t none = objects.size();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::size_t last = i;
    while (meals[last].absorber != none) last = meals[last].absorber;
    if (last != i) merge(objects[last], objects[i]);
  }
}

}  // namespace

void clean(std::vector<Object>& objects, const Settings& settings) {
  if (settings.streaming_clean) {
    clean_streaming(objects, settings.clean_param);
  } else {
    clean_in_rounds(objects, settings.clean_param);
  }
}

}  // namespace srcextract::oracle
