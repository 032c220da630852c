# cmake -D MODULE=<module> -D OUTPUT=<file.cc> -D INPUTS=<file>|<file>... -P embed.cmake
#
# Writes a C++ source whose templates() returns each input as a string_view, in the member named after it
# (init.sh: init_sh). One ordinary literal a line: g++ 14 has no #embed, and a raw literal could be ended by
# what a template says.
string(REPLACE "|" ";" INPUTS "${INPUTS}")
set(members "")
foreach(input IN LISTS INPUTS)
  if(NOT EXISTS ${input})
    message(FATAL_ERROR "${input}: no such template")
  endif()
  cmake_path(GET input FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} member)
  file(READ ${input} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\r" "\\r" text "${text}")
  string(REPLACE "\t" "\\t" text "${text}")
  string(REPLACE "\n" "\\n\"\n        \"" text "${text}")
  string(APPEND members "      .${member} =\n        \"${text}\"sv,\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from templates/ by cmake/embed.cmake.
#include \"fluxhook/${MODULE}/templates.h\"

namespace fluxhook::${MODULE} {

using namespace std::string_view_literals;

const Templates& templates() {
  static constexpr Templates kTemplates{
${members}  };
  return kTemplates;
}

} // namespace fluxhook::${MODULE}
")
