# fleet.cmake - how this project builds a room, a test and a fuzz target
#
# A room (common/base, broker, ...) is a static library made of all .c files in its
# folder and its method/ folder. Its headers are visible to those who list it under
# USES and to nobody else, so the layering of ARCHITECTURE.md is kept by the compiler:
# an include of a broker header in worker/ does not resolve (tests/layering.sh).

option(FLEET_WERROR "Warnings are errors" ON)
set(FLEET_SANITIZE "" CACHE STRING "address,undefined or thread")

# Asserts stay on in the builds that are measured and shipped.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

add_library(fleet_flags INTERFACE)
target_compile_features(fleet_flags INTERFACE c_std_11)
target_compile_definitions(fleet_flags INTERFACE _GNU_SOURCE MAPFLEET_VERSION="${PROJECT_VERSION}")
# -ffp-contract=off: the same bytes on every machine (ARCHITECTURE.md, Same bytes).
target_compile_options(fleet_flags INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -ffp-contract=off
  $<$<BOOL:${FLEET_WERROR}>:-Werror>)
if(FLEET_SANITIZE)
  target_compile_definitions(fleet_flags INTERFACE FLEET_SANITIZED)
  target_compile_options(fleet_flags INTERFACE
    -fsanitize=${FLEET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(fleet_flags INTERFACE -fsanitize=${FLEET_SANITIZE})
endif()

# msgpack-c is `msgpackc` on Debian, with a pkg-config file whose name has changed over time.
macro(fleet_find_msgpack)
  pkg_search_module(msgpack_c REQUIRED IMPORTED_TARGET msgpackc msgpack-c msgpack)
  add_library(msgpack INTERFACE)
  target_link_libraries(msgpack INTERFACE PkgConfig::msgpack_c)
endmacro()

# Texts of a room's folder (templates/) become rows {"name", "text"} of templates.inc,
# which a source of the room includes; a changed text configures anew.
function(fleet_embed_texts name path folder)
  file(GLOB texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/${folder}/*.txt)
  set(rows "")
  foreach(file ${texts})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM stem)
    file(READ ${file} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n\"" text "${text}")
    string(APPEND rows "{ \"${stem}\", \"${text}\" },\n")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/texts/${name}/${folder}.inc "${rows}")
  target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/texts/${name})
endfunction()

# fleet_module(common/base USES other_module PkgConfig::x ...)
function(fleet_module path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  string(REPLACE / _ name ${path})
  cmake_path(GET path PARENT_PATH parent)
  set(view ${PROJECT_BINARY_DIR}/include/${name}) # holds this room's headers only
  file(MAKE_DIRECTORY ${view}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${path} ${view}/${path} SYMBOLIC)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/*.c ${PROJECT_SOURCE_DIR}/${path}/method/*.c)
  if(NOT sources) # a room of headers only
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${view})
    target_link_libraries(${name} INTERFACE ${arg_USES})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${view})
  target_link_libraries(${name} PUBLIC ${arg_USES} PRIVATE fleet_flags)
  foreach(folder templates weights)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${path}/${folder})
      fleet_embed_texts(${name} ${path} ${folder})
    endif()
  endforeach()
endfunction()

# fleet_tests(unit): every tests/unit/X.c is a program and the test unit.X
function(fleet_tests group seconds)
  file(GLOB sources CONFIGURE_DEPENDS ${group}/*.c)
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    add_executable(${group}_${name} ${source})
    target_link_libraries(${group}_${name} PRIVATE fleet_test_base)
    add_test(NAME ${group}.${name} COMMAND ${group}_${name})
    set_tests_properties(${group}.${name} PROPERTIES LABELS ${group} TIMEOUT ${seconds}
      ENVIRONMENT "MAPFLEET=$<TARGET_FILE:mapfleet>;SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  endforeach()
endfunction()

# fleet_scripts(e2e): every tests/e2e/X.sh is the test e2e.X; exit 77 means skipped
function(fleet_scripts group seconds)
  file(GLOB sources CONFIGURE_DEPENDS ${group}/*.sh)
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    add_test(NAME ${group}.${name} COMMAND bash ${source})
    set_tests_properties(${group}.${name} PROPERTIES LABELS ${group} TIMEOUT ${seconds} SKIP_RETURN_CODE 77
      ENVIRONMENT "MAPFLEET=$<TARGET_FILE:mapfleet>;SOURCE_DIR=${PROJECT_SOURCE_DIR};BUILD_DIR=${PROJECT_BINARY_DIR}")
  endforeach()
endfunction()

# fleet_fuzz(): every tests/fuzz/X.c but replay.c replays tests/fuzz/corpus/X on each
# ctest run; ops/fuzz builds the same source with libFuzzer to look for more.
function(fleet_fuzz)
  file(GLOB sources CONFIGURE_DEPENDS fuzz/*.c)
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    if(name STREQUAL replay)
      continue()
    endif()
    add_executable(fuzz_${name} ${source} fuzz/replay.c)
    target_link_libraries(fuzz_${name} PRIVATE fleet_test_base)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 60)
  endforeach()
endfunction()
