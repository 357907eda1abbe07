# cmake -DSOURCE=dir -DOUTPUT=file -P write_build_commit.cmake: writes the checked-out commit as a C++ string literal.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET)
execute_process(COMMAND git -C "${SOURCE}" status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
if(commit STREQUAL "")
  set(commit "unknown")
elseif(NOT changes STREQUAL "")
  string(APPEND commit "-dirty")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "\"@commit@\"\n" @ONLY)
