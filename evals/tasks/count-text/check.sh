# Counts occurrences, not lines.
count=$(grep -o '## ' ARCHITECTURE.md | wc -l | tr -d ' ')
grep -qw "$count" "$CASTOR_ANSWER" || { echo "the answer does not name $count occurrences"; exit 1; }
