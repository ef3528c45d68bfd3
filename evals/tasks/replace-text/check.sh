# One line of one file changed.
test "$(git diff --numstat)" = "$(printf '1\t1\tARCHITECTURE.md')" || { echo 'not exactly one line changed'; exit 1; }
test "$(head -n 1 ARCHITECTURE.md)" = '# Castor in one page' || { echo 'the title is another one'; exit 1; }
