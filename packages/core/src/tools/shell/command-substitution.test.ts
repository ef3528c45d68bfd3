import { describe, expect, it } from 'vitest';
import { hasCommandSubstitution } from './command-substitution.ts';

const ACTED_ON = [
  'echo $(id)',
  'echo "$(id)"',
  'echo `id`',
  'echo "`id`"',
  'diff <(ls a) <(ls b)',
  'tee >(cat)',
  "echo 'safe' $(id)",
  'echo "it\'s $(id)"',
  'echo \\\\$(id)',
  'echo $((1 + 1))',
  'x=$(id)',
  "echo $'\\'' $(id) ''",
  "ls # it's\necho $(id) # it's",
  "cat <<'EOF'\nit's\nEOF\necho $(id) # it's",
  "cat <<EOF\n'$(id)'\nEOF",
  'cat <<EOF\n\\\\$(id)\nEOF',
  "cat <<-'EOF'\n\ta\n\tEOF\necho `id`",
  "cat <<'A' <<B\n$(id)\nA\n$(id)\nB",
  "cat <<<'a' $(id)",
  'echo a#b $(id)',
  'ls # $(id)',
  "cat <<'EOF'\n$(id)\nEOF",
];

const NOT_ACTED_ON = [
  'echo hello',
  "echo '$(id)'",
  "echo '`id`'",
  'echo \\$(id)',
  'echo \\`id\\`',
  'echo "\\$(id)"',
  'echo "a <(b)"',
  'echo ${HOME} $HOME',
  '(cd x && ls)',
  'cat < file > other',
  "grep -E '<(a|b)>' file",
  "echo $'a\\'$(id)'",
  "git commit -F - <<'EOF'\nfix: it isn't\nEOF",
  "ls # it isn't",
  'cat <<EOF\n\\$(id)\nEOF',
];

describe('hasCommandSubstitution', () => {
  it.each(ACTED_ON)('is true for %s', (command) => {
    expect(hasCommandSubstitution(command)).toBe(true);
  });

  it.each(NOT_ACTED_ON)('is false for %s', (command) => {
    expect(hasCommandSubstitution(command)).toBe(false);
  });
});
