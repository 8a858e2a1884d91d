#pragma once

#include <string>

#include "survey/journal/image_record.hpp"

namespace srcextract::testing {

/// An image of which nothing is known yet, as version 1.0 with configuration "c1" begins it.
inline ImageRecord new_record(const std::string& name) {
  ImageRecord record;
  record.name = name;
  record.path = "/data/" + name;
  record.bytes = 2880;
  record.modified = 1700000000123456789;
  record.config = "c1";
  record.program = "1.0";
  return record;
}

inline ImageRecord done_record(const std::string& name) {
  ImageRecord record = new_record(name);
  record.done = true;
  record.datasum = 4294967295u;
  record.width = 64;
  record.height = 32;
  record.sources = 7;
  record.background = 0.1;
  record.sigma = 2.5;
  return record;
}

inline ImageRecord failed_record(const std::string& name, const std::string& reason) {
  ImageRecord record = new_record(name);
  record.kind = "input";
  record.reason = reason;
  return record;
}

/// One of `images` images of a file.
inline ImageRecord of_hdu(ImageRecord record, int hdu, int images) {
  record.hdu = hdu;
  record.images = images;
  return record;
}

}  // namespace srcextract::testing
