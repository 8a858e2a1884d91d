#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "stages/clean/shared_absorbers.hpp"
#include "tests/stages/deblend/host_steps.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

/// Wider than the fields of every test.
constexpr Shape image{2100, 2100};

template <class Machine>
std::vector<std::int32_t> absorbers_by(const std::vector<CleanCandidate>& sources, double beta,
                                       const Machine& machine) {
  Buffer<CleanCandidate, Cpu> candidates(std::ssize(sources), Cpu{});
  std::ranges::copy(sources, candidates.begin());
  const Buffer<std::int32_t, Cpu> absorbers =
      find_absorbers(candidates, {nullptr, candidates.size()}, image, beta, machine);
  return {absorbers.begin(), absorbers.end()};
}

/// Round or elongated sources whose wings fall to their threshold of 1 over their area.
CleanCandidate source_at(double x, double y, double a, double b, double flux, float limit, std::int32_t place,
                         double beta) {
  CleanProfile profile{};
  profile.x = x;
  profile.y = y;
  profile.a = static_cast<float>(a);
  profile.cxx = static_cast<float>(1 / (a * a));
  profile.cyy = static_cast<float>(1 / (b * b));
  profile.limit = limit;
  const std::int64_t npix = static_cast<std::int64_t>(6 * a * b) + 1;
  set_wings(profile, flux, npix, static_cast<float>(b), 1, 1, beta);
  constexpr double pi = 3.14159265358979323846;
  return {profile, flux, place,
          1,       npix, pi * static_cast<double>(profile.a) * static_cast<double>(static_cast<float>(b))};
}

std::vector<CleanCandidate> random_sources(std::mt19937& random, int count, double side, double largest, double beta) {
  std::uniform_real_distribution<double> at(0, side), log_size(std::log(0.3), std::log(largest)), log_flux(0, 9);
  std::uniform_real_distribution<float> limit(0, 0.6F);
  std::vector<std::int32_t> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int32_t>(i);
  std::ranges::shuffle(places, random);
  std::vector<CleanCandidate> sources;
  for (int i = 0; i < count; ++i) {
    const double a = std::exp(log_size(random)), b = a * (0.2 + 0.8 * at(random) / side);
    double flux = a * b * std::exp(log_flux(random));
    if (i % 7 == 0 && i > 0) flux = sources.back().flux;  // some are as bright as others
    sources.push_back(
        source_at(at(random), at(random), a, b, flux, limit(random), places[static_cast<std::size_t>(i)], beta));
  }
  return sources;
}

/// Who absorbs a source, and when: at the place of the later of both. -1: nobody.
struct Meal {
  std::int32_t absorber = -1, time = -1;
};

/// Lets sources arrive one after the other at a list of those that are there, which have grown by earlier meals.
std::vector<Meal> let_arrive(const std::vector<CleanCandidate>& sources, const std::vector<Meal>& earlier,
                             double beta) {
  const auto size = static_cast<std::int32_t>(sources.size());
  std::vector<std::int32_t> arriving(sources.size()), list;
  for (std::int32_t i = 0; i < size; ++i)
    arriving[static_cast<std::size_t>(sources[static_cast<std::size_t>(i)].place)] = i;
  const auto at = [&](std::int32_t i) -> const CleanCandidate& { return sources[static_cast<std::size_t>(i)]; };
  std::vector<std::vector<std::int32_t>> of(sources.size());  // what each absorbed
  for (const std::int32_t k : arriving)
    if (const std::int32_t by = earlier[static_cast<std::size_t>(k)].absorber; by >= 0)
      of[static_cast<std::size_t>(by)].push_back(k);
  std::vector<Meal> meals(sources.size());
  for (const std::int32_t i : arriving) {
    const std::int32_t now = at(i).place;
    std::vector<std::int32_t> menu, kept;
    std::int32_t absorber = -1;
    for (const std::int32_t j : list) {
      double light = at(j).flux;
      std::vector<std::pair<std::int32_t, std::int32_t>> eaten;
      for (const std::int32_t k : of[static_cast<std::size_t>(j)])
        if (const std::int32_t time = earlier[static_cast<std::size_t>(k)].time; time < now)
          eaten.emplace_back(time, k);
      std::ranges::stable_sort(eaten, {}, &std::pair<std::int32_t, std::int32_t>::first);
      double more = 0;
      std::int64_t pixels = 0;
      for (const auto& meal : eaten) {
        more += at(meal.second).flux;
        pixels += at(meal.second).npix;
      }
      light += more;
      if (at(i).flux > light) {
        (can_absorb(at(i).profile, at(j).profile, beta) ? menu : kept).push_back(j);
        continue;
      }
      kept.push_back(j);
      const CleanProfile wings = eaten.empty() ? at(j).profile : grown(at(j), more, pixels, beta);
      if (absorber < 0 && can_absorb(wings, at(i).profile, beta)) absorber = j;
    }
    if (absorber >= 0) {
      meals[static_cast<std::size_t>(i)] = {absorber, now};
      continue;
    }
    for (const std::int32_t j : menu) meals[static_cast<std::size_t>(j)] = {i, now};
    list = std::move(kept);
    list.push_back(i);
  }
  return meals;
}

std::vector<std::int32_t> absorbers_by_definition(const std::vector<CleanCandidate>& sources, double beta) {
  const std::vector<Meal> none(sources.size());
  const std::vector<Meal> meals = let_arrive(sources, let_arrive(sources, none, beta), beta);
  std::vector<std::int32_t> absorbers;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::size_t last = i;
    while (meals[last].absorber >= 0) last = static_cast<std::size_t>(meals[last].absorber);
    absorbers.push_back(last == i ? -1 : static_cast<std::int32_t>(last));
  }
  return absorbers;
}

TEST(FindAbsorbers, IsThatOfAllPairs) {
  std::mt19937 random(3);
  std::int64_t absorbed = 0;
  for (const double beta : {1.0, 2.0})
    for (const int count : {0, 1, 2, 300, testing::sanitized ? 400 : 1500})
      for (const double side : {50.0, 2000.0})
        for (const double largest : {2.0, 40.0, 900.0}) {
          const std::vector<CleanCandidate> sources = random_sources(random, count, side, largest, beta);
          const std::vector<std::int32_t> truth = absorbers_by_definition(sources, beta);
          ASSERT_EQ(absorbers_by(sources, beta, HostSteps(Cpu{1})), truth) << count << ", " << side << ", " << largest;
          ASSERT_EQ(absorbers_by(sources, beta, HostSteps(Cpu{7})), truth);
          ASSERT_EQ(absorbers_by(sources, beta, testing::MeetingSteps(Cpu{7})), truth) << "lanes";
          absorbed += std::ranges::count_if(truth, [](std::int32_t absorber) { return absorber >= 0; });
        }
  EXPECT_GT(absorbed, testing::share(1000));
}

TEST(FindAbsorbers, ManySourcesAreDecidedOneAfterTheOther) {
  std::mt19937 random(8);
  const std::vector<CleanCandidate> sources = random_sources(random, testing::sanitized ? 2000 : 9000, 500, 6, 1);
  EXPECT_EQ(absorbers_by(sources, 1, HostSteps(Cpu{3})), absorbers_by_definition(sources, 1));
}

TEST(FindAbsorbers, WhatHasNoPlaceNeitherAbsorbsNorIsAbsorbed) {
  std::vector<CleanCandidate> sources{source_at(10, 10, 3, 3, 1e6, 0, 0, 1), source_at(12, 10, 1, 1, 10, 0, 1, 1),
                                      source_at(14, 10, 2, 2, 1e7, 0, 2, 1)};
  sources[2].profile.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(absorbers_by(sources, 1, HostSteps(Cpu{1})), (std::vector<std::int32_t>{-1, 0, -1}));
}

}  // namespace
}  // namespace srcextract
