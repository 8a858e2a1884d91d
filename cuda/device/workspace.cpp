#include "cuda/device/workspace.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace srcextract {

namespace {

/// Block sizes in bytes are rounded up to a multiple of `granule`, so that a block of nearly the same size can be
/// reused.
constexpr std::size_t granule = 512;

/// Largest size in bytes of a slab, an allocation from which several blocks are cut. Allocating waits for the driver
/// calls of all other threads: a millisecond if sixteen threads use a device. Each slab is twice as large as the
/// previous slab and at least four times its first block, but at most largest_slab. A block of more than half of
/// largest_slab gets a slab of its own.
constexpr std::size_t largest_slab = std::size_t{32} << 20;

bool every_block_alone() {
  static const bool alone = std::getenv("SRCEXTRACT_SEPARATE_BLOCKS") != nullptr;
  return alone;
}

}  // namespace

void* Workspace::take(std::size_t bytes) {
  const std::size_t wanted = (bytes + granule - 1) / granule * granule;
  Block* block = find(wanted);
  if (block == nullptr) {
    blocks_.reserve(blocks_.size() + 1);  // so that push_back() below cannot fail after cut() took the memory
    std::byte* const memory = cut(wanted);
    if (memory == nullptr) return nullptr;
    blocks_.push_back({memory, wanted});
    block = &blocks_.back();
  }
  if (repeats_) {
    handed_out_.resize(std::max(handed_out_.size(), asked_ + 1));
    handed_out_[asked_++] = block->memory;
  }
  block->in_use = true;
  return block->memory;
}

Workspace::Block* Workspace::find(std::size_t bytes) {
  void* const before = asked_ < handed_out_.size() ? handed_out_[asked_] : nullptr;
  Block* best = nullptr;
  for (Block& block : blocks_) {
    if (block.in_use || block.bytes < bytes || block.bytes > 2 * bytes) continue;
    if (block.memory == before) return &block;
    if (best == nullptr || block.bytes < best->bytes) best = &block;
  }
  return best;
}

void Workspace::repeat() {
  repeats_ = true;
  asked_ = 0;
}

std::byte* Workspace::cut(std::size_t bytes) {
  auto slab = std::ranges::find_if(slabs_, [&](const CutSlab& one) { return one.slab.bytes() - one.used >= bytes; });
  if (slab == slabs_.end()) {
    const bool alone = every_block_alone() || bytes > largest_slab / 2;
    const std::size_t shared = std::min(std::max(next_slab_, 4 * bytes), largest_slab);
    if (alone || !add_slab(shared, false)) {
      if (!add_slab(bytes, true)) return nullptr;
    } else {
      next_slab_ = 2 * shared;
    }
    slab = std::prev(slabs_.end());
  }
  slab->used += bytes;
  return slab->slab.data() + slab->used - bytes;
}

bool Workspace::add_slab(std::size_t bytes, bool alone) {
  slabs_.reserve(slabs_.size() + 1);
  Slab slab = make_slab(bytes, alone);
  if (slab.empty()) return false;
  slabs_.push_back({std::move(slab), 0});
  return true;
}

Slab Workspace::make_slab(std::size_t bytes, bool alone) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  const bool shares = host_ != nullptr && host_->most > 0;
  const bool leaves_too_little =
      shares && alone && wanted >= host_->large && free_device_memory() - wanted < host_->for_small;
  Slab slab;
  if (leaves_too_little) slab = Slab::on_host(bytes, *host_);
  if (slab.empty()) slab = Slab::on_device(bytes);
  if (slab.empty() && shares) slab = Slab::on_host(bytes, *host_);
  return slab;
}

void Workspace::give_back(void* memory) noexcept {
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.memory == memory; });
  if (block != blocks_.end()) block->in_use = false;
}

void Workspace::free_unused() noexcept {
  std::erase_if(slabs_, [&](const CutSlab& one) {
    const auto is_part = [&](const Block& block) {
      return block.memory >= one.slab.data() && block.memory < one.slab.data() + one.slab.bytes();
    };
    if (std::ranges::any_of(blocks_, [&](const Block& block) { return block.in_use && is_part(block); })) return false;
    std::erase_if(blocks_, is_part);
    return true;
  });
}

}  // namespace srcextract
