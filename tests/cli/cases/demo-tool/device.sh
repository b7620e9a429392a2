# No command has an engine for another device than the CPU: one that is asked for is an error at the start, with a
# plug-in that works as without one, on the command line as in the environment and in a configuration.
fake=$(dirname "$(dirname "$(command -v demo-tool)")")/fake_plugins/none
for folder in nowhere "$fake"; do
  FRUGAL_PLUGIN_DIR=$folder demo-tool show --device cuda; echo $?
done
test -f "$fake/libfrugal_cuda.so" && echo 'the plug-in is there'
FRUGAL_PLUGIN_DIR=$fake FRUGAL_DEVICE=cuda demo-tool show; echo $?
echo 'device: ipu' > c.yml; demo-tool show --config c.yml; echo $?
demo-tool show --device gpu; echo $?
demo-tool show --device cpu > /dev/null; echo $?
FRUGAL_PLUGIN_DIR=$fake demo-tool show > /dev/null; echo $?
demo-tool end ok --simd v9 2> /dev/null; echo $?
