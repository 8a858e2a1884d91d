#pragma once

#include <optional>
#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// A shard: part `index`, from 1, of a survey that is divided into `count` parts.
struct Shard {
  int index = 1, count = 1;

  bool operator==(const Shard&) const = default;
};

inline constexpr int most_shards = 1'000'000;

/// Whether 1 <= index <= count <= most_shards.
bool is_part(const Shard& shard);

/// The shard as text: "2/4" for shard 2 of 4.
std::string shard_text(const Shard& shard);

/// Reads a text such as "2/4". Throws Error{config} if it is no shard.
Shard parse_shard(const std::string& text);

/// The shard that this process's task in a Slurm job array stands for, by the variables SLURM_ARRAY_TASK_ID, _MIN,
/// _MAX, _STEP and _COUNT. Empty outside an array. Throws Error{config} if a variable is missing or the task ids are
/// not evenly spaced (1,3,4).
std::optional<Shard> slurm_shard();

/// Returns the files of this shard, in their order. Every file is in exactly one shard, and shards have about equal
/// bytes. Files are assigned largest first, each to the shard with the fewest bytes so far. The result depends only on
/// names and sizes, so processes for different shards agree on it.
ImageFiles share_of(const Shard& shard, ImageFiles files);

}  // namespace srcextract
