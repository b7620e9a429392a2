#!/bin/sh
# From what ctest prints, the tests that were skipped, one a line with the suite's name:  skipped.sh SUITE < LOG
sed -n "s/^ *[0-9]*\/[0-9]* Test  *#[0-9]*: \([^ ]*\) .*\*\*\*Skipped.*/  $1: \1/p"
