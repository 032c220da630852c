# fluxhook_embed_templates(<module> <file>...): the files of templates/ as string literals in the module's
# generated source templates.cc, which defines what fluxhook/<module>/templates.h declares. A change of a
# template makes it anew.
function(fluxhook_embed_templates module)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  set(output ${PROJECT_BINARY_DIR}/generated/${module}/templates.cc)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/templates/ OUTPUT_VARIABLE inputs)
  list(JOIN inputs "|" joined)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D MODULE=${module} -D OUTPUT=${output} -D "INPUTS=${joined}" -P ${script}
    DEPENDS ${script} ${inputs}
    COMMENT "Embedding templates/ in module ${module}"
    VERBATIM)
  target_sources(fluxhook_${module} PRIVATE ${output})
endfunction()
