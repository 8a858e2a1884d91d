#pragma once

#include <string>

namespace srcextract {

/// The texts of page.html, report.css and report.js, which are part of the program.
const std::string& report_page();
const std::string& report_style();
const std::string& report_script();

}  // namespace srcextract
