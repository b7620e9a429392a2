printf 'rate: 1\n' > 'c d.yml'
demo-tool show -q --config 'c d.yml' --depfile out.d -o 'my out' 'in#1' in2
cat out.d
# As a prerequisite '%' is plain, as a target it is quoted; a directive of make is no name of a rule's own.
demo-tool show -q --depfile out.d -o '100%' 'a%b' 'c:d' 'e[1]*' include
cat out.d
# What would set a variable, begin a recipe or name nothing.
rm out.d
for name in 'SHELL=x' 'a;b' 'a|b' "$(printf 'a\nb:')" '~x' 'a&' 'a\' 'lib(x)' .PHONY ./.IGNORE; do
  demo-tool show -q --depfile out.d -o out "$name" 2>&1; echo $?
done
demo-tool show -q --depfile out.d -o 'PATH=x' in2; echo $?
demo-tool show -q --depfile out.d -o 'out*' in2; echo $?
demo-tool show -q -o 'PATH=x' 'SHELL=x'; echo $?; ls
