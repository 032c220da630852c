# What is installed, and the Debian package of it. The program itself writes its manual pages and completions when it has
# been linked, so that they fit it.
include(GNUInstallDirs)
set(made ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${made}/man)
add_custom_command(TARGET fluxhook POST_BUILD
  COMMAND fluxhook __man ${made}/man
  COMMAND sh -c "gzip -9nf ${made}/man/*.1"
  COMMAND fluxhook completion bash > ${made}/fluxhook.bash
  COMMAND fluxhook completion zsh > ${made}/_fluxhook
  COMMAND fluxhook completion fish > ${made}/fluxhook.fish
  COMMENT "Writing manual pages and completions"
  VERBATIM)

install(TARGETS fluxhook COMPONENT program) # all that the image takes
install(PROGRAMS packaging/kubectl-fluxhook packaging/kubectl_complete-fluxhook TYPE BIN)
install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1.gz")
install(FILES ${made}/fluxhook.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME fluxhook)
install(FILES ${made}/_fluxhook DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${made}/fluxhook.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
file(GLOB pages CONFIGURE_DEPENDS README.md CHANGELOG.md docs/*.md)
install(FILES ${pages} TYPE DOC)
