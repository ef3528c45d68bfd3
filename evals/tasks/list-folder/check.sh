# The answer names the packages.
for name in batch cli core testkit; do
  grep -qw "$name" "$CASTOR_ANSWER" || { echo "the answer does not name $name"; exit 1; }
done
