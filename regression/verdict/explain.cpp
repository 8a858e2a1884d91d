#include "regression/verdict/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "regression/columns/known_columns.hpp"
#include "regression/statistics/pieces.hpp"
#include "regression/statistics/spread.hpp"

namespace srcextract {
namespace {

/// A factor between values that a different unit or definition causes. `cause` applies to new values that are larger by
/// this factor, `inverse` to new values that are smaller.
struct KnownFactor {
  double factor;
  const char* cause;
  const char* inverse;
  bool of_lengths = false;  ///< whether the factor applies to lengths only (may_be_length)
};
constexpr std::array known_factors = {
    KnownFactor{180 / std::numbers::pi, "degrees where the reference has radians",
                "radians where the reference has degrees"},
    KnownFactor{3600, "arcsec where the reference has degrees", "degrees where the reference has arcsec"},
    KnownFactor{60, "the unit is a 60th of the reference's", "the unit is 60 times the reference's"},
    KnownFactor{15, "degrees where the reference has hours", "hours where the reference has degrees"},
    KnownFactor{1e3, "the unit is a 1000th of the reference's", "the unit is 1000 times the reference's"},
    KnownFactor{1e6, "the unit is a millionth of the reference's", "the unit is a million times the reference's"},
    KnownFactor{1e9, "the unit is 1e-9 of the reference's", "the unit is 1e9 times the reference's"},
    KnownFactor{2, "twice the reference's: a diameter, where that is a radius?",
                "half the reference's: a radius, where that is a diameter?", true},
    KnownFactor{2.3548200450309493, "a FWHM where the reference has an RMS", "an RMS where the reference has a FWHM",
                true},
};

/// A column to explain, and the number of threads for the work.
struct Looked {
  const PairedColumn& column;
  int threads;
};

/// The spread of value(pair) over all pairs for which the value is finite.
template <class Value>
Spread spread(const Looked& looked, const Value& value) {
  const std::vector<double> values = each_value(looked.column.reference.size(), looked.threads, [&](std::size_t i) {
    const double v = value(i);
    return std::isfinite(v) ? v : not_known;
  });
  return spread_of(values, looked.threads);
}

/// Number of pairs for which holds(pair) is true.
template <class Predicate>
std::size_t count(const Looked& looked, const Predicate& holds) {
  std::size_t all = 0;
  for (const std::size_t some : by_pieces<std::size_t>(looked.column.reference.size(), looked.threads,
                                                       [&](std::size_t begin, std::size_t end, std::size_t&sum) {
                                                         for (std::size_t i = begin; i < end; ++i) sum += holds(i);
                                                       }))
    all += some;
  return all;
}

/// A change explains the new values if the differences that remain after the change is undone are smaller than this
/// fraction of the original differences.
constexpr double far_less = 0.1;
/// With fewer values, some change fits by chance.
constexpr std::size_t least_for_change = 8;
/// Values count as reproduced only if the differences scatter by less than this fraction of the scatter of the values.
constexpr double reproduced_within = 0.3;

std::string share_of(const PairedColumn& column, const std::function<bool(std::size_t)>& moved) {
  std::int64_t pairs = 0, hits = 0;
  for (std::size_t i = 0; i < column.reference.size(); ++i) {
    if (std::isnan(column.reference[i] - column.other[i])) continue;
    ++pairs;
    hits += moved(i);
  }
  return fmt::format("{} of {} sources", hits, pairs);
}

std::string unit_of(const PairedColumn& column) {
  return column.unit.empty() ? "" : " " + column.unit;
}

ColumnFinding changed_places(const Looked& looked, double usual) {
  const PairedColumn& column = looked.column;
  if (column.partner_reference.empty()) return {};
  const Spread left = spread(looked, [&](std::size_t i) { return column.other[i] - column.partner_reference[i]; });
  const Spread partner = spread(looked, [&](std::size_t i) { return column.partner_reference[i]; });
  // The remaining differences must be small compared with the differences, and with the scatter of the other
  // coordinate: right ascensions in hours, for example, are similar to many declinations.
  if (!(std::abs(left.median) + left.scatter < far_less * usual && left.scatter < far_less * partner.scatter))
    return {};
  return {fmt::format("the new values are those of the reference's {}", column.partner),
          fmt::format("{} and {} have changed places", std::min(column.name, column.partner),
                      std::max(column.name, column.partner))};
}

bool is_coordinate(const std::string& name) {
  return is_pixel_coordinate(name) || is_right_ascension(name) || is_declination(name);
}

/// Whether the column may be a radius or a width: it is no coordinate, flux or error of a flux.
bool may_be_length(const std::string& name) {
  return !is_coordinate(name) && !is_flux(name) && !name.starts_with("FLUXERR_");
}

ColumnFinding other_direction(const Looked& looked) {
  const PairedColumn& column = looked.column;
  const Spread sum = spread(looked, [&](std::size_t i) { return column.other[i] + column.reference[i]; });
  const Spread difference = spread(looked, [&](std::size_t i) { return column.other[i] - column.reference[i]; });
  if (!(sum.scatter < far_less * difference.scatter)) return {};
  if (std::abs(sum.median) <= 0.01 * difference.scatter)
    return {"the new values have the other sign", "a flipped sign"};
  return {fmt::format("new = {:.7g} - reference", sum.median), "the axis is flipped"};
}

ColumnFinding known_factor(const PairedColumn& column, const Spread& ratio) {
  // Noise changes the ratio slightly. The error of a median is 1.25 times the scatter over the root of the number of
  // pairs.
  const double pairs = static_cast<double>(column.reference.size());
  const double slack = std::clamp(4 * 1.25 * std::abs(ratio.scatter / ratio.median) / std::sqrt(pairs), 0.005, 0.05);
  for (const KnownFactor& known : known_factors) {
    if (known.of_lengths && !may_be_length(column.name)) continue;
    for (const bool inverse : {false, true}) {
      const double factor = inverse ? 1 / known.factor : known.factor;
      if (!(std::abs(ratio.median / factor - 1) <= slack)) continue;
      const std::string hits = share_of(column, [&](std::size_t i) {
        return std::abs(column.other[i] / column.reference[i] / factor - 1) <= std::max(slack, 0.05);
      });
      return {fmt::format("{} have {:.6g} times the reference's value", hits, ratio.median),
              inverse ? known.inverse : known.cause};
    }
  }
  return {};
}

/// Whether a factor leaves far smaller differences than an offset.
bool is_factor(const Looked& looked, const Spread& ratio) {
  const PairedColumn& column = looked.column;
  const Spread offset = spread(looked, [&](std::size_t i) { return column.other[i] - column.reference[i]; });
  const Spread left =
      spread(looked, [&](std::size_t i) { return column.other[i] - ratio.median * column.reference[i]; });
  return left.scatter < far_less * offset.scatter;
}

/// Finds the factor in a column whose values are mostly 0 on both sides, such as angles of round sources. Zeros are
/// left out, since zeros fit any factor.
ColumnFinding explain_without_zeros(const Looked& looked) {
  const PairedColumn& column = looked.column;
  const auto is_zero = [&](std::size_t i) { return column.reference[i] == 0 && column.other[i] == 0; };
  const std::size_t others = count(looked, [&](std::size_t i) { return !is_zero(i); });
  if (others < least_for_change || 2 * others > column.reference.size()) return {};
  PairedColumn rest;
  rest.name = column.name;
  for (std::size_t i = 0; i < column.reference.size(); ++i) {
    if (is_zero(i)) continue;
    rest.reference.push_back(column.reference[i]);
    rest.other.push_back(column.other[i]);
  }
  const Looked at_rest{rest, looked.threads};
  const Spread ratio = spread(at_rest, [&](std::size_t i) { return rest.other[i] / rest.reference[i]; });
  return is_factor(at_rest, ratio) ? known_factor(rest, ratio) : ColumnFinding{};
}

}  // namespace

std::string with_error(double value, double error) {
  // Two digits of the error, but at most four digits of the value.
  const double finest = std::max(error, 0.01 * std::abs(value));
  if (finest == 0) return "0";
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(finest))), 0, 9);
  return fmt::format("{:+.{}f} ± {:.{}f}", value, digits, error, digits);
}

ColumnFinding explain_change(const PairedColumn& column, const Spread& absolute, int threads) {
  const Looked looked{column, threads};
  const Spread own = spread(looked, [&](std::size_t i) { return column.reference[i]; });
  const double usual =
      spread(looked, [&](std::size_t i) { return std::abs(column.other[i] - column.reference[i]); }).median;
  // Values count as reproduced if most differences are small compared with the scatter of the values.
  const bool reproduced = absolute.scatter <= reproduced_within * own.scatter && usual <= own.scatter;
  if (usual == 0) return explain_without_zeros(looked);
  if (reproduced) return {};
  const std::size_t pairs =
      count(looked, [&](std::size_t i) { return std::isfinite(column.other[i] - column.reference[i]); });
  if (pairs < least_for_change) return {};
  if (ColumnFinding found = changed_places(looked, usual); !found.words.empty()) return found;
  if (ColumnFinding found = other_direction(looked); !found.words.empty()) return found;
  const Spread ratio = spread(looked, [&](std::size_t i) { return column.other[i] / column.reference[i]; });
  return is_factor(looked, ratio) ? known_factor(column, ratio) : ColumnFinding{};
}

ColumnFinding explain_offset(const PairedColumn& column, const Location& location) {
  const auto moved = [&](std::size_t i) {
    const double difference = difference_of(column, i, column.rule->difference);
    return std::abs(difference) > column.rule->bias && (difference > 0) == (location.mean > 0);
  };
  const std::string share = share_of(column, moved);
  if (column.rule->difference == Difference::relative) {
    // In words, the change is relative to the reference; the column's difference is relative to the mean of both
    // values.
    const double growth = location.mean / (1 - location.mean / 2);
    return {fmt::format("{} are {} by {} %", share, growth > 0 ? "larger" : "smaller",
                        with_error(100 * growth, 100 * location.error)),
            ""};
  }
  if (column.rule->difference == Difference::sigma)
    return {fmt::format("{} moved by {} of the column {}", share, with_error(location.mean, location.error),
                        column.rule->error),
            ""};
  const bool one_pixel = is_pixel_coordinate(column.name) &&
                         std::abs(std::abs(location.mean) - 1) <= std::max(0.01, 3 * location.error) &&
                         location.error < 0.1;
  return {fmt::format("{} moved by {}{}", share, with_error(location.mean, location.error), unit_of(column)),
          one_pixel ? "one side counts from 0" : ""};
}

std::string explain_alignment(const Alignment& alignment, Frame frame) {
  const bool sky = frame == Frame::sky;
  const std::string x = sky ? "right ascension" : "x", y = sky ? "declination" : "y";
  const std::string unit = sky ? "degrees" : "pixels";
  const int digits = sky ? 6 : 2;
  const auto offset = [&](double value) { return fmt::format("{:+.{}f}", value, digits); };
  const auto turned = [&](const std::string& axis, double sum) {
    return fmt::format("new {} = {:.{}f} - reference", axis, sum, digits);
  };
  const std::string shifted =
      fmt::format("shifted by {} in {} and {} in {}", offset(alignment.dx), x, offset(alignment.dy), y);
  switch (alignment.change) {
    case Change::none:
      return "";
    case Change::shift:
      return fmt::format("the new positions are {} ({})", shifted, unit);
    case Change::flip_x:
      return fmt::format("the {} axis is flipped: {}, {} shifted by {}", x, turned(x, alignment.dx), y,
                         offset(alignment.dy));
    case Change::flip_y:
      return fmt::format("the {} axis is flipped: {}, {} shifted by {}", y, turned(y, alignment.dy), x,
                         offset(alignment.dx));
    case Change::rotate_180:
      return fmt::format("both axes are flipped, a rotation by 180 degrees: {}, {}", turned(x, alignment.dx),
                         turned(y, alignment.dy));
    case Change::swap:
      return fmt::format("{} and {} have changed places, and are {}", x, y, shifted);
    case Change::swap_flip:
      return fmt::format("{} and {} have changed places, and {} backwards: the image was rotated by 90 degrees", x, y,
                         alignment.x_reversed && alignment.y_reversed ? "both run"
                         : alignment.x_reversed                       ? "the new " + x + " runs"
                                                                      : "the new " + y + " runs");
    case Change::hours:
      return "the new right ascension is in hours, the reference's in degrees";
    case Change::radians:
      return "the new positions are in radians, the reference's in degrees";
  }
  return "";
}

}  // namespace srcextract
