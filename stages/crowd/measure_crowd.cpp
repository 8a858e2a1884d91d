#include "stages/crowd/measure_crowd.hpp"

#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/crowd/measured_star.hpp"

namespace srcextract {

std::vector<CrowdRow> measure_crowd(const CrowdField& field, const CrowdPsf& psf, const CrowdEquations& equations,
                                    const std::vector<CrowdStar>& stars) {
  constexpr std::int64_t measured_at_a_time = 32;
  const EquationsView of = equations.view();
  std::vector<CrowdRow> rows(stars.size());
  parallel_for(std::ssize(stars), measured_at_a_time, field.where(), [&](std::int64_t begin, std::int64_t end) {
    CrowdPsf::Scratch scratch;
    std::vector<float> wide;
    std::vector<double> triangle;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const CrowdStar& star = stars[i];
      const CrowdStamp& stamp = field.stamps()[i];
      CrowdRow& row = rows[i];
      row = row_of(star, field.view());
      const ErrorNeighbours chosen(of, stars.data(), static_cast<std::int64_t>(i),
                                   ErrorNeighbours::widths * psf.fwhm());
      triangle.resize(static_cast<std::size_t>(chosen.triangle()));
      find_errors(of, stars.data(), chosen, triangle.data(), row);
      wide.resize(static_cast<std::size_t>(CrowdPsf::numbers_for(stamp.half)));
      psf.draw(star.x, star.y, stamp.half, false, wide.data(), scratch, CrowdPsf::Planes::spread);
      describe(sum_stamp(field.view(), stamp, wide.data(), star.flux, psf.fwhm()), row);
    }
  });
  return rows;
}

}  // namespace srcextract
