// A library for LD_PRELOAD: rand(), by which SExtractor gives pixels to sources, begins at another seed.
#include <cstdlib>

namespace {

[[gnu::constructor]] void begin() {
  std::srand(2);
}

}  // namespace
