#include "pipeline/machine/roster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace srcextract {
namespace {

/// Turns that a mean is of: two or three of each worker.
constexpr int remembered = 32;

/// What is not known yet is tried where the CPU alone would need so long for the rest; first turns take a part of it.
constexpr double worth_a_try = 0.1;  // s
constexpr int first_to_try = 2;

/// Turns elsewhere after which a GPU that was too slow is tried again.
constexpr std::int64_t turns_until_retry = 64;

/// A worker goes to a GPU where it has no memory yet only if its own are that much busier.
constexpr double without_memory = 2;

}  // namespace

void Roster::Mean::add(double value) {
  count_ = std::min(count_ + 1, remembered);
  value_ += (value - value_) / count_;
}

void Roster::add(int device, std::int64_t most_workers, bool tried) {
  const std::lock_guard lock(mutex_);
  devices_[device].room = most_workers;
  devices_[device].tried = tried;
}

void Roster::remove(int device) {
  const std::lock_guard lock(mutex_);
  devices_.erase(device);
}

double Roster::seconds_by_cpu(std::int64_t left) const {
  return cpu_.pixel.value() * pixels_of_image_.value() * static_cast<double>(left) / workers_;
}

bool Roster::takes(const Rates& rates, std::int64_t left) const {
  if (!cpu_.pixel.known()) return true;
  if (rates.pixel.known()) return rates.pixel.value() <= cpu_.pixel.value();
  return (rates.tried || rates.working < first_to_try) && seconds_by_cpu(left) > worth_a_try;
}

/// What was too slow long ago may be quicker now.
void Roster::try_again(Rates& rates, std::int64_t left) const {
  if (!rates.pixel.known() || rates.working > 0 || rates.turns_elsewhere < turns_until_retry) return;
  if (seconds_by_cpu(left) < rates.pixel.value() * pixels_of_image_.value()) return;
  rates.pixel.forget();
  rates.tried = false;
}

/// Where GPUs were there from the first one image tells what the CPU takes.
bool Roster::is_cpu_untried(std::int64_t left) const {
  const auto is_known = [](const auto& device) { return device.second.pixel.known(); };
  return !cpu_.pixel.known() && cpu_.working == 0 && left > workers_ && std::ranges::any_of(devices_, is_known);
}

/// Of the GPUs, for one of which none is known.
double Roster::least_rate() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [device, rates] : devices_)
    if (rates.pixel.known()) least = std::min(least, rates.pixel.value());
  return std::isfinite(least) ? least : 1;
}

Roster::Place Roster::choose(const std::function<bool(int)>& own, std::int64_t left) {
  const std::lock_guard lock(mutex_);
  if (is_cpu_untried(left)) {
    ++cpu_.working;
    return std::nullopt;
  }
  const double least_known = least_rate();
  Place best;
  double least = 0;
  for (auto& [device, rates] : devices_) {
    try_again(rates, left);
    if ((!own(device) && rates.room == 0) || !takes(rates, left)) continue;
    const double pixel = rates.pixel.known() ? rates.pixel.value() : least_known;
    const double load = pixel * (1 + rates.working) * (own(device) ? 1 : without_memory);
    if (best && load >= least) continue;
    best = device;
    least = load;
  }
  Rates& rates = best ? devices_.at(*best) : cpu_;
  ++rates.working;
  if (best && !own(*best)) --rates.room;
  return best;
}

void Roster::done(const Turn& turn) {
  const std::lock_guard lock(mutex_);
  for (auto& [device, rates] : devices_)
    if (turn.place != device) rates.turns_elsewhere += turn.images;
  const auto device = turn.place ? devices_.find(*turn.place) : devices_.end();
  if (turn.place && device == devices_.end()) return;
  Rates& rates = turn.place ? device->second : cpu_;
  --rates.working;
  if (turn.pixels <= 0 || turn.seconds <= 0) return;
  pixels_of_image_.add(turn.pixels / static_cast<double>(turn.images));
  rates.turns_elsewhere = 0;
  // First turns tell nothing of a GPU that was tried; else they count until there are others.
  if (turn.first && (rates.tried || (rates.pixel.known() && !rates.of_first_turns))) return;
  if (!turn.first && rates.of_first_turns) rates.pixel.forget();
  rates.of_first_turns = turn.first;
  rates.pixel.add(turn.seconds / turn.pixels);
}

}  // namespace srcextract
