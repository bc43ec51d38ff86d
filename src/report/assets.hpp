// The parts of the HTML report, from src/report/assets; made into code at build time by cmake/assets.cmake.
#pragma once

#include <string_view>

namespace plumb::assets {

extern const std::string_view kPage;  // with @NAMES@ where something goes
extern const std::string_view kStyle;
extern const std::string_view kScript;
extern const std::string_view kTestStyle;  // what the page of a test has beside kStyle
extern const std::string_view kTestScript;
extern const std::string_view kAuditStyle;  // and the page of an audit of memory orders beside that

}  // namespace plumb::assets
