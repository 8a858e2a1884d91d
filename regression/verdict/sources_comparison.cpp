#include "regression/verdict/sources_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "regression/statistics/robust.hpp"
#include "regression/statistics/spread.hpp"
#include "regression/verdict/concentration.hpp"

namespace srcextract {
namespace {

/// A source is bright if the source's flux is more than twice the 10 % quantile of the reference's fluxes. Noise does
/// not hide a bright source.
constexpr double faint_share = 0.1, far_from_faint = 2;
/// A cell of the field is conspicuous if the fraction of lost and gained sources exceeds the usual fraction by this
/// much, and significantly. The usual fraction is the median over all cells.
constexpr double conspicuous = 0.2;
/// Lower limit on the usual fraction of lost and gained sources in the test of significance.
constexpr double least_usual = 0.02;
/// Fractions of the faintest sources that are tested for a loss.
constexpr double faint_ends[] = {0.01, 0.02, 0.03, 0.05, 0.1, 0.2};

struct Count {
  std::int64_t lost = 0, gained = 0, of = 0;
};

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
}

Sample sample_of(const std::vector<std::int64_t>& rows, const PlacedRows& side) {
  Sample sample;
  for (std::int64_t row : rows) {
    const std::size_t i = static_cast<std::size_t>(row);
    sample.x.push_back(side.positions.x[i]);
    sample.y.push_back(side.positions.y[i]);
    sample.brightness.push_back(side.brightness.empty() ? not_known : side.brightness[i]);
  }
  return sample;
}

/// Describes whether the rows are the faintest, the brightest, or in one part of the field, and the likely cause. Empty
/// if none of these.
std::string common_words(const std::vector<std::int64_t>& rows, const PlacedRows& side, const Division& field) {
  const Concentration found = in_common(sample_of(rows, side), sorted(side.brightness, 1), field, side.positions.frame);
  return found.words + (found.cause.empty() ? "" : ": " + found.cause);
}

/// Counts lost and gained bright sources (see faint_share). `all` is the reference's brightness in ascending order.
Count count_bright(const PlacedRows& reference, const PlacedRows& other, const Matches& matches,
                   std::span<const double> all) {
  Count count;
  if (reference.brightness.empty() || other.brightness.empty() || all.empty()) return count;
  const double faint = all[static_cast<std::size_t>(faint_share * static_cast<double>(all.size()))];
  const double limit = faint + std::log10(far_from_faint);
  const auto bright = [&](const PlacedRows& side, std::int64_t row) {
    return side.brightness[static_cast<std::size_t>(row)] > limit;
  };
  for (std::int64_t row : matches.lost) count.lost += bright(reference, row);
  for (std::int64_t row : matches.gained) count.gained += bright(other, row);
  count.of = all.end() - std::upper_bound(all.begin(), all.end(), limit);
  return count;
}

enum class Went { lost, gained };

void judge_net(std::vector<Finding>& findings, const PlacedRows& side, const std::vector<std::int64_t>& rows,
               std::int64_t against, std::int64_t of, double allowed, Went went, const Division& field, double sigma) {
  const std::int64_t count = static_cast<std::int64_t>(rows.size());
  if (!(share(count - against, of) > allowed) || sigma_of_count(count, count + against, 0.5) < sigma) return;
  const bool lost = went == Went::lost;
  findings.push_back(
      {"sources", fmt::format("{} were {} ({:.2f} % of the reference's {}){}{}", count, lost ? "lost" : "gained",
                              100 * share(count, of), of,
                              against == 0 ? "" : fmt::format(", and {} {}", against, lost ? "gained" : "lost"),
                              common_words(rows, side, field))});
}

/// Reports a loss of the faintest sources: far fewer new sources than reference sources are that faint. Noise alone
/// moves equally many sources across the detection limit in both directions.
void judge_faint_end(std::vector<Finding>& findings, std::int64_t reference_rows, std::span<const double> old_ones,
                     std::span<const double> new_ones, double allowed, double sigma) {
  const auto fainter = [](std::span<const double> all, double limit) {
    return static_cast<std::int64_t>(std::lower_bound(all.begin(), all.end(), limit) - all.begin());
  };
  for (const double part : faint_ends) {
    const std::size_t rank = static_cast<std::size_t>(part * static_cast<double>(old_ones.size()));
    if (rank == 0) continue;
    const std::int64_t before = fainter(old_ones, old_ones[rank]), now = fainter(new_ones, old_ones[rank]);
    if (!(share(before - now, reference_rows) > allowed)) continue;
    if (sigma_of_count(before, before + now, 0.5) < sigma) continue;
    findings.push_back(
        {"sources", fmt::format("of the faintest {:g} % ({} sources) {} are left: the faint end was lost", 100 * part,
                                before, now)});
    return;
  }
}

/// Reports lost or gained bright sources. For bright sources, noise splits and merges neighbours equally often, but
/// loses no source.
void judge_bright(std::vector<Finding>& findings, const Count& bright, const SourceRules& rules, double sigma) {
  const std::int64_t changed = bright.lost + bright.gained;
  const auto net = [&](std::int64_t count, double allowed) {
    return share(2 * count - changed, bright.of) > allowed && sigma_of_count(count, changed, 0.5) >= sigma;
  };
  const bool churn = share(changed, bright.of) > rules.bright &&
                     sigma_of_count(changed, bright.of + bright.gained, rules.bright) >= sigma;
  if (!churn && !net(bright.lost, rules.lost) && !net(bright.gained, rules.gained)) return;
  findings.push_back({"sources", fmt::format("of {} sources far above the faint end {} were lost and {} gained, where "
                                             "noise cannot be why",
                                             bright.of, bright.lost, bright.gained)});
}

void judge_places(std::vector<Finding>& findings, const PlacedRows& reference, const PlacedRows& other,
                  const Matches& matches, const Division& field, double sigma) {
  if (field.side < 2) return;
  std::vector<Count> cells(field.side * field.side);
  const auto cell = [&](const Positions& positions, std::int64_t row) -> Count& {
    const std::size_t i = static_cast<std::size_t>(row);
    return cells[field.cell_of(positions.x[i], positions.y[i])];
  };
  for (std::int64_t row : matches.lost) ++cell(reference.positions, row).lost;
  for (std::int64_t row : matches.gained) ++cell(other.positions, row).gained;
  for (std::int64_t row : matches.reference) ++cell(reference.positions, row).of;
  std::vector<double> shares;
  for (const Count& count : cells)
    shares.push_back(share(count.lost + count.gained, count.of + count.lost + count.gained));
  const double usual = median_of(shares);
  std::size_t conspicuous_cells = 0, worst = 0;
  double most = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int64_t changed = cells[i].lost + cells[i].gained;
    const std::int64_t all = changed + cells[i].of;
    const double significance = sigma_of_count(changed, all, std::max(usual, least_usual));
    if (share(changed, all) - usual < conspicuous || significance < sigma) continue;
    ++conspicuous_cells;
    if (significance <= most) continue;
    most = significance;
    worst = i;
  }
  if (conspicuous_cells == 0) return;
  const Count& count = cells[worst];
  const std::string others =
      conspicuous_cells == 1 ? "" : fmt::format(", and so do {} other parts", conspicuous_cells - 1);
  findings.push_back(
      {"sources",
       fmt::format("at {} {} were lost and {} gained of {} (elsewhere {:.1f} %): this part of the image differs{}",
                   place_in_words(field.part(worst), reference.positions.frame), count.lost, count.gained,
                   count.of + count.lost + count.gained, 100 * usual, others)});
}

void judge_duplicates(std::vector<Finding>& findings, const std::vector<Duplicate>& before,
                      const std::vector<Duplicate>& now, std::int64_t rows, double allowed) {
  const std::int64_t more = static_cast<std::int64_t>(now.size()) - static_cast<std::int64_t>(before.size());
  if (!(share(more, rows) > allowed)) return;
  findings.push_back({"sources", fmt::format("{} rows are duplicated, {} in the reference: row {} repeats row {}",
                                             now.size(), before.empty() ? "none" : std::to_string(before.size()),
                                             now.front().row + 1, now.front().earlier + 1)});
}

}  // namespace

std::vector<Finding> judge_sources(const PlacedRows& reference, const PlacedRows& other, const Matches& matches,
                                   const std::vector<Duplicate>& reference_duplicates,
                                   const std::vector<Duplicate>& new_duplicates, const Division& field,
                                   const SourceRules& rules, const AlarmLevels& levels, bool same_image, int threads) {
  std::vector<Finding> findings;
  const std::int64_t rows = reference.positions.size();
  judge_duplicates(findings, reference_duplicates, new_duplicates, rows, rules.duplicated);
  const std::int64_t lost = static_cast<std::int64_t>(matches.lost.size());
  const std::int64_t gained = static_cast<std::int64_t>(matches.gained.size());
  judge_places(findings, reference, other, matches, field, levels.place);
  const std::size_t before_counts = findings.size();
  // If both sides measured the same pixels, gained sources do not compensate for lost sources.
  judge_net(findings, reference, matches.lost, same_image ? 0 : gained, rows, rules.lost, Went::lost, field,
            levels.count);
  judge_net(findings, other, matches.gained, same_image ? 0 : lost, rows, rules.gained, Went::gained, field,
            levels.count);
  const std::vector<double> brightness = sorted(reference.brightness, threads);
  if (findings.size() == before_counts && !same_image)
    judge_faint_end(findings, rows, brightness, sorted(other.brightness, threads), rules.lost, levels.count);
  judge_bright(findings, count_bright(reference, other, matches, brightness), rules, levels.count);
  return findings;
}

}  // namespace srcextract
