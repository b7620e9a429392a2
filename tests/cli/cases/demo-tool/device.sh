FRUGAL_PLUGIN_DIR=nowhere demo-tool end ok --device ipu; echo $?
demo-tool end ok --device gpu; echo $?
demo-tool end ok --device cpu; echo $?
demo-tool end ok --simd v9; echo $?
demo-tool end ok --simd v2
