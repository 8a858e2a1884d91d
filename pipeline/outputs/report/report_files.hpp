#pragma once

#include <string>

namespace srcextract {

/// Contents of files that are compiled into the program; a comment after each function names the file. report_page()
/// and survey_page() include head.html and tail.html. The scripts begin with shared.js.
const std::string& report_page();    // page.html
const std::string& report_style();   // report.css
const std::string& report_script();  // report.js
const std::string& survey_page();    // survey.html
const std::string& survey_script();  // survey.js

}  // namespace srcextract
