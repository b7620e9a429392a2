# A tool for tests of what every tool shares; see demo_tool.cpp.
add_executable(demo-tool cli/demo_tool.cpp)
target_link_libraries(demo-tool PRIVATE core_cli CLI11::CLI11 nlohmann_json::nlohmann_json)
