#include "tests/truth/oracle/masks.hpp"

#include <algorithm>

#include "tests/truth/oracle/detect.hpp"

namespace srcextract::oracle {
namespace {

constexpr int nobody = -1, everybody_elses = -2;

}  // namespace

Masks::Masks(const std::vector<Object>& objects, const Field& field, const Settings& settings)
    : field_(field), settings_(settings), owner_{field.image.width, field.image.height, {}} {
  owner_.values.assign(field.image.values.size(), nobody);
  // Pixels of sets that are too small are hidden from all, too.
  for (const Pixel& pixel : threshold(field, settings)) owner_.at(pixel.x, pixel.y) = everybody_elses;
  for (const Object& object : objects) {
    const bool absorbed = object.absorbed_by >= 0;
    int shown = 0;  // rows of what was absorbed are free but for those that SExtractor hides only after CLEAN
    if (absorbed) {
      const Object& absorber = objects[static_cast<std::size_t>(object.absorbed_by)];
      shown = std::max(object.parent_last_row, absorber.parent_last_row) + 1 - field.kernel_height / 2;
    }
    for (const Pixel& pixel : object.pixels) {
      owner_.at(pixel.x, pixel.y) = !absorbed ? object.number : pixel.y < shown ? nobody : everybody_elses;
    }
  }
}

bool Masks::blanked(int x, int y, const Object& object) const {
  if (settings_.masking == Masking::none) return false;
  const int owner = owner_.at(x, y);
  return owner != nobody && owner != object.number;
}

bool Masks::bad(int x, int y) const {
  return !field_.variance.empty() && field_.variance.at(x, y) >= settings_.weight_thresh;
}

double Masks::variance(int x, int y) const {
  return field_.variance.empty() ? static_cast<double>(field_.noise) * field_.noise : field_.variance.at(x, y);
}

}  // namespace srcextract::oracle
