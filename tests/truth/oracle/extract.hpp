#pragma once

#include <vector>

#include "tests/truth/oracle/object.hpp"

namespace srcextract::oracle {

/// All objects in the order of completion, before CLEAN, with what their own pixels tell; those that were absorbed by
/// others are marked so. Filters `field`.
std::vector<Object> find_objects(Field& field, const Settings& settings);

}  // namespace srcextract::oracle
