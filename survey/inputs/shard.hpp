#pragma once

#include <optional>
#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Part `index` of `count` of a survey, from 1.
struct Shard {
  int index = 1, count = 1;

  bool operator==(const Shard&) const = default;
};

/// The greatest number of shards.
inline constexpr int most_shards = 1'000'000;

/// Whether the index and count are valid.
bool is_part(const Shard& shard);

/// "2/4".
std::string shard_text(const Shard& shard);

/// Parses "2/4". Throws Error{config}.
Shard parse_shard(const std::string& text);

/// This process's task of a Slurm job array, from SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT; empty outside an
/// array. Throws Error{config} if they contradict each other (ids that are not evenly spaced, as in 1,3,4).
std::optional<Shard> slurm_shard();

/// Returns the files of that shard, in their order. Every file is in exactly one shard, and shards have about equal
/// bytes. The division depends on names and sizes alone: files are assigned largest first, each to the shard with the
/// fewest bytes so far.
ImageFiles share_of(const Shard& shard, ImageFiles files);

}  // namespace srcextract
