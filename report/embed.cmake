# SPDX-License-Identifier: Apache-2.0
# cmake -DPAGE=FOLDER -DLIBRARY=FOLDER -DSCRIPTS=LIST -DOUTPUT=FILE.cc -P embed.cmake: embeds the page's template, style
# and script as arrays of bytes. Style and script begin with those of the plotting library and its licence. The page's
# scripts share one scope, in the order of the list.
file(READ "${LIBRARY}/LICENSE" license)
set(license "/*! uPlot\n\n${license}\n*/\n")

file(READ "${LIBRARY}/dist/uPlot.min.css" library_style)
file(READ "${PAGE}/page.css" style)
set(style "${license}${library_style}\n${style}")

file(READ "${LIBRARY}/dist/uPlot.iife.min.js" library_script)
set(script "${license}${library_script}\n(() => {\n'use strict';\n")
foreach(name IN LISTS SCRIPTS)
  file(READ "${PAGE}/${name}" text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")

file(READ "${PAGE}/page.html" html)

set(code "// Made by embed.cmake.\n#include \"report/page_text.h\"\n\nnamespace orthodict::report::page_text {\n")
foreach(name html style script)
  string(SHA256 digest "${${name}}")
  string(HEX "${${name}}" bytes)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND code "\nnamespace {\nconst unsigned char k_${name}[] = {${bytes}};\n}  // namespace\n"
         "std::string_view ${name}() { return {reinterpret_cast<const char*>(k_${name}), sizeof k_${name}}; }\n"
         "std::string_view ${name}_digest() { return \"${digest}\"; }\n")
endforeach()
string(APPEND code "\n}  // namespace orthodict::report::page_text\n")
file(WRITE "${OUTPUT}" "${code}")
