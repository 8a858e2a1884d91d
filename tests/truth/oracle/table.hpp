#pragma once

#include <iosfwd>
#include <vector>

#include "tests/truth/oracle/object.hpp"

namespace srcextract::oracle {

/// A line of names, SExtractor's (positions from 1, angles in degrees), and one of numbers for each object that CLEAN
/// left, in the order of completion.
void write_table(std::ostream& out, const std::vector<Object>& objects, const Settings& settings);

}  // namespace srcextract::oracle
