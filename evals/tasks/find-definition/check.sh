# The answer names the file that defines the function.
grep -q 'packages/cli/src/commands/parse-words.ts' "$CASTOR_ANSWER" || { echo 'the answer does not name the file'; exit 1; }
