# For the scripts beside it, which say what they need:  needs MODULE...
# Where Python lacks one, the test ends as skipped (77), which the summary of tests/run.sh counts.
needs() {
  for module in "$@"; do
    python3 -c "import $module" 2>/dev/null || { echo "skipped: Python has no $module"; exit 77; }
  done
}
