#!/bin/sh
# An object file that is compiled for one instruction set gives out its table of kernels and nothing else. A
# weak symbol there (an inline function, a template) may be the copy that the linker keeps for every caller:
# an older processor would then die by SIGILL.
#   no_weak_symbols.sh OBJECT...
status=0
for object in "$@"; do
  symbols=$(nm -C "$object") || exit 2
  case $symbols in *' frugal::kernels_'*) ;; *) echo "$object: has no table of kernels"; status=1 ;; esac
  leaked=$(echo "$symbols" | grep -E '^[0-9a-f ]+ [A-TV-Zuvw] ' | grep -v -E ' [DR] frugal::kernels_[a-z0-9]+$')
  leaked=$(echo "$leaked" | grep -v -E ' w _ITM_| w __gmon_start__|^$')
  [ -z "$leaked" ] || { echo "$object:"; echo "$leaked"; status=1; }
done
exit $status
