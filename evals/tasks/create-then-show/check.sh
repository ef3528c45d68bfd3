# The steps happen in order, and the last one is answered.
test "$(cat notes.txt)" = 'one two three' || { echo 'the file has another text'; exit 1; }
grep -qw 3 "$CASTOR_ANSWER" || { echo 'the answer does not name 3 words'; exit 1; }
