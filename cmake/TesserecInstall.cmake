# `cmake --install`: beside the program and the libraries (src/CMakeLists.txt) the headers and the package that
# find_package(Tesserec) reads, with the find modules that it needs.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tesserec)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tesserec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
install(EXPORT TesserecTargets NAMESPACE Tesserec:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TesserecConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TesserecConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesserecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesserecConfig.cmake ${PROJECT_BINARY_DIR}/TesserecConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindTesserecKokkos.cmake
  DESTINATION ${package_dir})
