# The networks in plain double that unit_tgn-train compares with.
if(TARGET unit_tgn-train)
  target_sources(unit_tgn-train PRIVATE ${CMAKE_CURRENT_LIST_DIR}/plain_tgn.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/memory/plain_stream.cpp)
endif()
