# Rejects platforms and flags that would change the bits of results.

# Emscripten's toolchain does not set the byte order; WebAssembly is little-endian. It is the only platform with pointers of 32 bits.
if(EMSCRIPTEN)
  set(CMAKE_CXX_BYTE_ORDER LITTLE_ENDIAN)
elseif(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(FATAL_ERROR "Strew needs a 64-bit platform; this compiler builds for ${CMAKE_SIZEOF_VOID_P}-byte pointers")
endif()
if(NOT CMAKE_CXX_BYTE_ORDER STREQUAL "LITTLE_ENDIAN")
  message(FATAL_ERROR "Strew needs a little-endian platform; this one is ${CMAKE_CXX_BYTE_ORDER}")
endif()

get_directory_property(strew_flags COMPILE_OPTIONS)
string(TOUPPER "${CMAKE_BUILD_TYPE}" strew_config)
set(strew_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${strew_config}} ${strew_flags}")
foreach(flag -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math -ffinite-math-only -fno-signed-zeros)
  if(strew_flags MATCHES "(^|[ ;])${flag}($|[ ;])")
    message(FATAL_ERROR "Strew cannot be built with ${flag}: sums, NaN and signed zeros would no longer be exact. Remove it from the compiler flags.")
  endif()
endforeach()
