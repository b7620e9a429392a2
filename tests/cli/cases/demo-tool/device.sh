# A device that is not there is an error at the start, with the reason.
FRUGAL_PLUGIN_DIR=nowhere demo-tool end ok --device ipu 2>&1 | sed 's/ in nowhere.*//'
FRUGAL_PLUGIN_DIR=nowhere demo-tool end ok --device ipu 2> /dev/null; echo $?
demo-tool end ok --device gpu; echo $?
demo-tool end ok --device cpu; echo $?
demo-tool end ok --simd v9 2> /dev/null; echo $?
