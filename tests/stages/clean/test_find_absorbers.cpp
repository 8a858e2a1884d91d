#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stages/clean/shared_absorbers.hpp"
#include "tests/stages/deblend/host_steps.hpp"

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
  set_wings(profile, flux, static_cast<std::int64_t>(6 * a * b) + 1, static_cast<float>(b), 1, 1, beta);
  return {profile, flux, place};
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

/// All with all, from the brightest on.
std::vector<std::int32_t> absorbers_by_definition(const std::vector<CleanCandidate>& sources, double beta) {
  std::vector<std::size_t> order(sources.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
    return std::pair(-sources[i].flux, sources[i].place) < std::pair(-sources[j].flux, sources[j].place);
  });
  std::vector<std::int32_t> absorbers(sources.size(), -1);
  std::vector<std::size_t> survivors;
  for (const std::size_t j : order) {
    for (const std::size_t i : survivors) {
      if (!can_absorb(sources[i].profile, sources[j].profile, beta)) continue;
      std::int32_t& absorber = absorbers[j];
      if (absorber < 0 || sources[i].place < sources[static_cast<std::size_t>(absorber)].place)
        absorber = static_cast<std::int32_t>(i);
    }
    if (absorbers[j] < 0) survivors.push_back(j);
  }
  return absorbers;
}

TEST(FindAbsorbers, IsThatOfAllPairs) {
  std::mt19937 random(3);
  std::int64_t absorbed = 0;
  for (const double beta : {1.0, 2.0})
    for (const int count : {0, 1, 2, 300, 1500})
      for (const double side : {50.0, 2000.0})
        for (const double largest : {2.0, 40.0, 900.0}) {
          const std::vector<CleanCandidate> sources = random_sources(random, count, side, largest, beta);
          const std::vector<std::int32_t> truth = absorbers_by_definition(sources, beta);
          ASSERT_EQ(absorbers_by(sources, beta, HostSteps(Cpu{1})), truth) << count << ", " << side << ", " << largest;
          ASSERT_EQ(absorbers_by(sources, beta, HostSteps(Cpu{7})), truth);
          ASSERT_EQ(absorbers_by(sources, beta, testing::MeetingSteps(Cpu{7})), truth) << "lanes";
          absorbed += std::ranges::count_if(truth, [](std::int32_t absorber) { return absorber >= 0; });
        }
  EXPECT_GT(absorbed, 1000);
}

TEST(FindAbsorbers, ManySourcesAreDecidedOneAfterTheOther) {
  std::mt19937 random(8);
  const std::vector<CleanCandidate> sources = random_sources(random, 9000, 500, 6, 1);
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
