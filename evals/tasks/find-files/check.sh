# Every such file of the repository is in the answer.
git ls-files '*.fixture.ts' | while read -r path; do
  grep -qF "$(basename "$path")" "$CASTOR_ANSWER" || { echo "the answer does not name $path"; exit 1; }
done
