demo-tool end; echo $?
demo-tool end --seed; echo $?
demo-tool end ok more
