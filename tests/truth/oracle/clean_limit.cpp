#include <algorithm>
#include <functional>
#include <utility>

#include "tests/truth/oracle/clean.hpp"

namespace srcextract::oracle {
namespace {

/// As meant to keep the largest `heap.size()` in a heap; but what is put on top sinks no lower than it should only as
/// far as this loop goes, which compares it with what it has just changed places with.
void sink(std::vector<float>& heap, float height) {
  if (!(height > heap[0])) return;
  const std::size_t count = heap.size();
  heap[0] = height;
  for (std::size_t j = 0, k = 0; (k = 2 * (j + 1)) <= count; j = k) {
    if (k != count && heap[k - 1] > heap[k]) ++k;
    if (heap[j] <= heap[k - 1]) break;
    std::swap(heap[j], heap[k - 1]);
  }
}

}  // namespace

float limit_of(const std::vector<Pixel>& pixels, int min_area) {
  const auto m = static_cast<std::size_t>(min_area);
  std::vector<float> heights;
  for (const Pixel& pixel : pixels) heights.push_back(pixel.filtered - pixel.threshold);
  if (heights.size() < m) return 0;
  if (heights.size() == m) return heights.front();
  heights.erase(heights.begin() + min_area);  // pixel m + 1 only makes the heap sorted
  if (m >= 6) {
    std::vector<float> heap(heights.begin(), heights.begin() + min_area);
    std::sort(heap.begin(), heap.end());
    for (std::size_t i = m; i < heights.size(); ++i) sink(heap, heights[i]);
    return heap[0];
  }
  // In closed form: of the first m the three least are ever looked at again.
  if (m >= 3) {
    std::sort(heights.begin(), heights.begin() + min_area);
    heights.erase(heights.begin() + 3, heights.begin() + min_area);
  }
  const std::size_t rank = std::min<std::size_t>(m, 3) - 1;
  std::nth_element(heights.begin(), heights.begin() + static_cast<std::ptrdiff_t>(rank), heights.end(),
                   std::greater<>());
  return heights[rank];
}

}  // namespace srcextract::oracle
