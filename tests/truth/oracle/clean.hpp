#pragma once

#include <vector>

#include "tests/truth/oracle/object.hpp"

namespace srcextract::oracle {

/// What stands for a source's surface brightness at its limit: the height over the threshold of its brightest pixels'
/// last, as SExtractor finds it.
float limit_of(const std::vector<Pixel>& pixels, int min_area);

/// Lets sources absorb those that would not stand out of the noise without them (`absorbed_by`), and takes over what
/// they were; objects in the order of completion.
void clean(std::vector<Object>& objects, const Settings& settings);

}  // namespace srcextract::oracle
