# The answer has the number that wc counts, and nothing was changed.
count=$(wc -l < LICENSE | tr -d ' ')
grep -qw "$count" "$CASTOR_ANSWER" || { echo "the answer does not name $count lines"; exit 1; }
test -z "$(git status --porcelain)" || { echo 'a task that only reads changed files'; exit 1; }
