#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "stages/core/error.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract::testing {

/// Damages a YAML text in random ways, `all` times in long runs. Expects read_and_dump, which calls it x.yaml, to
/// refuse it in the right way, or to dump what it reads back as the same; and both to happen.
template <class F>
void expect_read_or_refused(const std::string& original, int all, F&& read_and_dump) {
  ASSERT_GT(original.size(), 1000u);
  const std::string characters = "[]{}:-?*&!|>'\"%#,.\n\t \\~0123456789eE+xabc\x04\x80\xff";
  std::mt19937 random(20240229);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const int rounds = testing::rounds(all);
  int read = 0, refused = 0;
  for (int i = 0; i < rounds; ++i) {
    std::string yaml = original;
    for (std::size_t edits = 1 + below(4); edits > 0 && !yaml.empty(); --edits) {
      const std::size_t at = below(yaml.size());
      switch (below(4)) {
        case 0:
          yaml.erase(at, 1 + below(20));
          break;
        case 1:
          yaml.insert(at, 1, characters[below(characters.size())]);
          break;
        case 2:
          yaml[at] = characters[below(characters.size())];
          break;
        case 3:
          yaml.insert(below(yaml.size()), yaml.substr(at, below(200)));
          break;
      }
    }
    try {
      const std::string dumped = read_and_dump(yaml);
      EXPECT_EQ(read_and_dump(dumped), dumped) << yaml;
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_THAT(error.what(), ::testing::StartsWith("x.yaml:")) << yaml;
      ++refused;
    }
  }
  EXPECT_GT(read, rounds / 10);
  EXPECT_GT(refused, rounds / 10);
}

}  // namespace srcextract::testing
