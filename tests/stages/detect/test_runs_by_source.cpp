#include "stages/detect/runs_by_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace srcextract {
namespace {

/// Labels 1, 2, ... of so many runs: most begin anew or go on with one of the last few, some with any before, as a
/// source of the size of the image does; and some are of none.
std::vector<std::int32_t> some_labels(std::int64_t runs, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(runs));
  std::int32_t last = 0;
  for (std::int32_t& label : labels) {
    const unsigned draw = random() % 100;
    if (draw < 10) {
      label = 0;
    } else if (draw < 50 || last == 0) {
      label = ++last;
    } else if (draw < 90) {
      label = std::max(1, last - static_cast<std::int32_t>(random() % 300));
    } else {
      label = draw < 95 ? 1 : static_cast<std::int32_t>(random() % static_cast<unsigned>(last)) + 1;
    }
  }
  return labels;
}

void expect_grouped(const std::vector<std::int32_t>& labels) {
  const std::int32_t sources = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end());
  std::vector<std::vector<std::int32_t>> expected(static_cast<std::size_t>(sources));
  for (std::size_t run = 0; run < labels.size(); ++run) {
    if (labels[run] > 0) expected[static_cast<std::size_t>(labels[run] - 1)].push_back(static_cast<std::int32_t>(run));
  }
  for (const int threads : {1, 3}) {
    const Cpu where{threads};
    Components<Cpu> components{Buffer<std::int32_t, Cpu>(std::ssize(labels), where), {}};
    std::copy(labels.begin(), labels.end(), components.label.begin());
    components.counts = Value<ComponentCounts, Cpu>(ComponentCounts{sources, sources});
    const RunsBySource by_source = group_runs(components, where);
    for (std::int32_t source = 0; source < sources; ++source) {
      const auto members = by_source.members(source);
      ASSERT_TRUE(std::ranges::equal(members, expected[static_cast<std::size_t>(source)]))
          << labels.size() << " runs, source " << source << ", " << threads << " threads";
    }
  }
}

TEST(GroupRuns, PutsTheRunsOfEverySourceInTheirOrder) {
  for (const std::int64_t runs : {0, 1, 2, 1000, (1 << 17) - 1, 1 << 17, (1 << 17) + 1, 500'000})
    expect_grouped(some_labels(runs, static_cast<unsigned>(runs)));
}

TEST(GroupRuns, TakesLabelsInAnyOrder) {
  std::vector<std::int32_t> labels(400'000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i / 3 + 1);
  std::ranges::reverse(labels);
  expect_grouped(labels);
  std::ranges::shuffle(labels, std::mt19937(5));
  expect_grouped(labels);
}

TEST(GroupRuns, KnowsASourceOfAllRuns) {
  expect_grouped(std::vector<std::int32_t>(300'000, 1));
}

}  // namespace
}  // namespace srcextract
