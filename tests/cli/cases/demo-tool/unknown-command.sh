demo-tool sohw; echo $?
demo-tool; echo $?
demo-tool --seed 3 show
