# The page of the HTML report, as one C++ file: CMake writes each asset as a raw string. Run as a script at build time:
# cmake -DOUTPUT=assets.cpp -DFOLDER=src/report/assets -P cmake/assets.cmake
file(READ ${FOLDER}/report.html page)
file(READ ${FOLDER}/report.css style)
set(script "")
foreach(name recording view painter painter_order panel controls main)  # as one script, in this order
  file(READ ${FOLDER}/${name}.js part)
  string(APPEND script "${part}\n")
endforeach()

# The page of a test.
file(READ ${FOLDER}/test.css test_style)
file(READ ${FOLDER}/test.js test_script)

# And of an audit of memory orders.
file(READ ${FOLDER}/audit.css audit_style)

set(code "// Made by cmake/assets.cmake from src/report/assets; change those.\n#include \"report/assets.hpp\"\n\nnamespace plumb::assets {\n")
foreach(pair kPage=page kStyle=style kScript=script kTestStyle=test_style kTestScript=test_script kAuditStyle=audit_style)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 constant)
  list(GET pair 1 name)
  string(APPEND code "const std::string_view ${constant} = R\"plumb(${${name}})plumb\";\n")
endforeach()
string(APPEND code "}  // namespace plumb::assets\n")
file(WRITE ${OUTPUT} "${code}")
