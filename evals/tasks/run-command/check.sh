# The answer has what the command printed.
grep -q "$(git log -1 --format=%H)" "$CASTOR_ANSWER" || { echo 'the answer does not name the commit'; exit 1; }
