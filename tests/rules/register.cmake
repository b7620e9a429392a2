# Sanitizers and unoptimised builds add symbols of their own.
get_property(isas GLOBAL PROPERTY FRUGAL_KERNEL_ISAS)
if(isas AND NOT FRUGAL_SANITIZE)
  set(objects)
  foreach(isa IN LISTS isas)
    list(APPEND objects $<TARGET_OBJECTS:kernels_${isa}>)
  endforeach()
  add_test(NAME rules.no-weak-symbols
           COMMAND ${PROJECT_SOURCE_DIR}/tests/rules/no_weak_symbols.sh ${objects})
endif()
