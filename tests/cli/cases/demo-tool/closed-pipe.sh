# A reader that goes away ends the tool quietly, as it does cat.
{ demo-tool flood; echo $? > status; } | head -n 1
cat status
