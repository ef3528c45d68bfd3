# The answer has the content of the file.
grep -q '"name": "@castor/batch"' "$CASTOR_ANSWER" || { echo 'the answer does not show the file'; exit 1; }
