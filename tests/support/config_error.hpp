#pragma once

#include <gtest/gtest.h>

#include <string>

#include "stages/core/error.hpp"

namespace srcextract::testing {

/// The message of the Error{config} that `work` throws; fails the test if it throws none, or one of another kind.
template <class Work>
std::string config_error(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace srcextract::testing
