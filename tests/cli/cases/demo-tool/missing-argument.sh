demo-tool end; echo $?
demo-tool end --threads; echo $?
demo-tool end ok more
