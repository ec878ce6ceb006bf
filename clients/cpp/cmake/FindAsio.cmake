# Asio without Boost: the target Asio::asio.
#
# Asio 1.22 finds std::aligned_alloc only in files that have included a header of libstdc++ before, and so frees in one file with
# another function than it allocates with in the next one. All files go without it.
find_path(Asio_INCLUDE_DIR asio.hpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Asio REQUIRED_VARS Asio_INCLUDE_DIR)
if(Asio_FOUND AND NOT TARGET Asio::asio)
  add_library(Asio::asio INTERFACE IMPORTED)
  set_target_properties(Asio::asio PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Asio_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "ASIO_STANDALONE;ASIO_DISABLE_STD_ALIGNED_ALLOC")
endif()
mark_as_advanced(Asio_INCLUDE_DIR)
