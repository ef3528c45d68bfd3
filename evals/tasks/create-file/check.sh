# Exactly the one file is new.
test "$(git status --porcelain --untracked-files=all)" = '?? docs/greeting.md' || { echo 'not exactly one new file'; exit 1; }
grep -q '^Hello from an eval$' docs/greeting.md || { echo 'the file has another text'; exit 1; }
