# The Debian package, made by CPack: scripts/package. cpp-httplib is of trixie-backports, which a Debian 13 does not have
# unless it is told to; so the package brings it, where the program finds it and no other does.
option(FLUXHOOK_PACKAGE "Prepare for scripts/package: bring cpp-httplib" OFF)
if(FLUXHOOK_PACKAGE)
  set_target_properties(fluxhook PROPERTIES INSTALL_RPATH ${CMAKE_INSTALL_FULL_LIBDIR}/fluxhook)
  install(TARGETS fluxhook RUNTIME_DEPENDENCY_SET libraries)
  install(RUNTIME_DEPENDENCY_SET libraries
    PRE_INCLUDE_REGEXES cpp-httplib PRE_EXCLUDE_REGEXES .
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/fluxhook)

  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of $SOURCE_DATE_EPOCH
  configure_file(packaging/changelog.in ${made}/changelog @ONLY)
  execute_process(COMMAND gzip -9nf ${made}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${made}/changelog.gz packaging/copyright TYPE DOC)
  file(GLOB licence /usr/share/doc/libcpp-httplib0*/copyright)
  install(FILES ${licence} TYPE DOC RENAME cpp-httplib.copyright)
endif()

set(FLUXHOOK_MAINTAINER "fluxhook <fluxhook@localhost>" CACHE STRING "Who vouches for the packages: NAME <MAIL>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fluxhook)
set(CPACK_PACKAGE_CONTACT ${FLUXHOOK_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "admission webhook that turns a labelled JobSet into a Flux cluster")
set(CPACK_PACKAGE_DESCRIPTION
"fluxhook makes a Flux Framework cluster of the pods of a Kubernetes JobSet that
carries a label. This is its one program: the webhook with its controller, and
the command line that checks, changes and explains manifests as the webhook
does. It brings manual pages, completions for bash, zsh and fish, and the plugin
kubectl fluxhook.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_INSTALL_FULL_LIBDIR})
set(CPACK_DEBIAN_PACKAGE_SUGGESTS kubernetes-client)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
