# Finds an installed Kokkos. The target of Debian's libtrilinos-kokkos-dev (3.4.1) names an include folder that
# does not exist; Kokkos_INCLUDE_DIRS names the right one.
find_package(Kokkos REQUIRED CONFIG)
get_target_property(includes Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
if(Kokkos_INCLUDE_DIRS AND includes AND NOT EXISTS "${includes}/Kokkos_Core.hpp")
  get_filename_component(includes "${Kokkos_INCLUDE_DIRS}" REALPATH)
  set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${includes}")
endif()
unset(includes)
set(TesserecKokkos_FOUND ON)
