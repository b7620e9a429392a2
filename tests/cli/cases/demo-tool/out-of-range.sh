demo-tool show --lsh-tables 0; echo $?
demo-tool show --rate -1; echo $?
demo-tool show --loss sofmax; echo $?
demo-tool show --betas 0.9; echo $?
demo-tool show --buffer 3furlongs; echo $?
demo-tool show --threads many
echo $?
demo-tool show --set betas=[]
