demo-tool show --lsh-tables 0; echo $?
demo-tool show --rate -1; echo $?
demo-tool show --loss sofmax; echo $?
demo-tool show --betas 0.9; echo $?
demo-tool show --buffer 3furlongs; echo $?
demo-tool show --threads many
echo $?
FRUGAL_THREADS=0 demo-tool show; echo $?
FRUGAL_THREADS=0 demo-tool show --threads many; echo $?
FRUGAL_SIMD=foo demo-tool show 2>&1 | cut -c 1-40; FRUGAL_DEVICE=foo demo-tool show 2>&1 | cut -c 1-40
demo-tool show --set betas=[]
FRUGAL_THREADS=auto demo-tool show -q; echo $?
SOURCE_DATE_EPOCH=soon demo-tool show -q; echo $?
