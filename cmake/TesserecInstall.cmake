# `cmake --install`: beside the program and the libraries (src/CMakeLists.txt) the headers and the package that
# find_package(Tesserec) reads, with the find modules that it needs; decks, job script, examples, documentation; manual pages
# and completions.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tesserec)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tesserec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp PATTERN *.h)
# For users of the C library; the installation may move.
file(RELATIVE_PATH tesserec_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/src/predict/tesserec-predict.pc.in ${PROJECT_BINARY_DIR}/tesserec-predict.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tesserec-predict.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT TesserecTargets NAMESPACE Tesserec:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TesserecConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TesserecConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesserecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesserecConfig.cmake ${PROJECT_BINARY_DIR}/TesserecConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindTesserecKokkos.cmake ${PROJECT_SOURCE_DIR}/cmake/FindLiburing.cmake
  DESTINATION ${package_dir})

# What users copy and work with, laid out as in the tree, and what they read.
set(share ${CMAKE_INSTALL_DATADIR}/tesserec)
set(doc ${CMAKE_INSTALL_DATADIR}/doc/tesserec)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/inputs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${share})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/runs/train.sbatch DESTINATION ${share}/runs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runs/sites DESTINATION ${share}/runs)
foreach(file LICENSE README.md CHANGELOG.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${doc})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${doc})
foreach(folder inputs runs examples)
  install(FILES ${PROJECT_SOURCE_DIR}/${folder}/README.md DESTINATION ${doc}/${folder})
endforeach()

# Manual pages and completions, by the program itself. Where it cannot start, as when built for another machine, the
# rest is installed without them.
set(help ${PROJECT_BINARY_DIR}/help)
install(CODE "
  file(REMOVE_RECURSE ${help})
  file(MAKE_DIRECTORY ${help}/man ${help}/bash ${help}/zsh)
  set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:tesserec>)
  execute_process(COMMAND \${program} describe --man ${help}/man RESULT_VARIABLE man)
  execute_process(COMMAND \${program} describe --completion bash OUTPUT_FILE ${help}/bash/tesserec RESULT_VARIABLE bash)
  execute_process(COMMAND \${program} describe --completion zsh OUTPUT_FILE ${help}/zsh/_tesserec RESULT_VARIABLE zsh)
  if(NOT \"\${man}\${bash}\${zsh}\" STREQUAL 000)
    file(REMOVE_RECURSE ${help})
    file(MAKE_DIRECTORY ${help}/man ${help}/bash ${help}/zsh)
    message(WARNING \"no manual pages and completions: the program does not start here (\${man})\")
  endif()")
install(DIRECTORY ${help}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${help}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${help}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
