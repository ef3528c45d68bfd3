/**
 * The sentences that name why a line cannot be read, each with the part it is about: what a user sees in the question,
 * and a model in the denial of a run without a user.
 */

import { expect, it } from 'vitest';
import { BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';

const engine = new PolicyEngine({ rules: BUILTIN_RULES, root: '/work/project', home: '/home/me' });
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}${close.repeat(depth)}`;

it.each([
  ['echo a\0b', 'The command contains a NUL character (U+0000) after `echo a`.'],
  ['echo a\x01b', 'The command contains a control character (U+0001) after `echo a`.'],
  ['echo a\rrm b', 'The command contains a carriage return inside a line (U+000D) after `echo a`.'],
  ['echo a\u202eb', 'The command contains an invisible or direction-changing character (U+202E) after `echo a`.'],
  ['\u200becho', 'The command contains an invisible or direction-changing character (U+200B) at its beginning.'],
  ["echo 'a", "Invalid or unsupported shell syntax at `'a`: unterminated single quote."],
  ['if true', "Invalid or unsupported shell syntax at the end: expected 'then'."],
  ['echo $(', 'A substitution could not be read: $(.'],
  ['cat <<EOF\nhello', 'The here-document <<EOF has no end.'],
  [
    'echo "${x:-\'$(date)\'}"',
    "Shells read the quotes and substitutions of an expansion in double quotes in different ways: ${x:-'$(date)'}.",
  ],
  ['f() { f; }; f', 'The function f calls itself.'],
  ['echo ${x@P}', 'A value is expanded as a prompt, which runs the commands in it: ${x@P}.'],
  ['echo ${x@E}', 'A value is expanded with its escapes, which may put a command together: ${x@E}.'],
  ['((ls here))', 'An arithmetic expression looks like a command: ls here.'],
  ["x='a[$(id)]'; (( x ))", "An arithmetic expression or a test would run the command in a subscript: 'a[$(id)]'."],
  [
    "a='a['; b='$(id)]'; x=$a$b; (( x ))",
    "The line evaluates values that may hold a command, alone or put together: 'a[' '$(id)]'.",
  ],
  [
    'for f in *; do (( f )); done',
    'An arithmetic expression evaluates f, whose values come from *, and would run a command in one of them.',
  ],
  [
    'for f in $(cat l); do g=$f; [[ $g -eq 1 ]]; done',
    'An arithmetic expression evaluates g, whose values come from $(cat l), and would run a command in one of them.',
  ],
  ['x=$(cat f); (( x ))', 'An arithmetic expression evaluates the output of $(cat f), and would run a command in it.'],
  ['read x; (( x ))', 'An arithmetic expression evaluates the input of read, and would run a command in it.'],
  [
    'read x < f; (( x ))',
    'An arithmetic expression evaluates what a redirection passes to read, and would run a command in it.',
  ],
  ['declare -A m=([$(id)]=1)', 'The key of an array is evaluated, and a command may be in it: [$(id)]=1.'],
  [
    'exec {x[$(id)]}<file',
    'A redirection evaluates the subscript of an array, and a command may be in it: {x[$(id)]}<.',
  ],
  [
    '(( PATH = 1 ))',
    'A loop or an arithmetic expression sets the variable PATH, which changes what programs load or run.',
  ],
  [nested(18, '$(echo ', ')'), 'Substitutions are nested deeper than 16 levels: $(echo $(echo )).'],
  [`${'env '.repeat(14)}ls`, `Commands run one another deeper than 12 levels: ${'env > '.repeat(12)}env.`],
  [`echo ${'{'.repeat(1_100)}`, 'The command has a word with more than 1000 braces.'],
  [`echo ${'a'.repeat(131_072)}`, 'The command is longer than 131,072 characters.'],
])('%j is told with its part, to a user and to a model', async (command, sentence) => {
  const call = { toolName: 'run_shell_command', args: { command } };
  const { decision, problems = [] } = await engine.check(call, { mode: 'default', interactive: true });
  expect([decision, problems]).toEqual(['ask_user', expect.arrayContaining([sentence])]);
  const denied = await engine.check(call, { mode: 'default', interactive: false });
  const told = problems[0]?.replace(/\.$/, '') ?? '';
  expect(denied.denyMessage).toContain(`(${told}), and a headless run cannot ask (approval mode default).`);
});

it.each([
  ['git clone ext::sh x', 'the git address ext::sh runs a command'],
  ["git config alias.x '!ls'", 'git config alias.x changes what git runs'],
  ['sed -f x f', 'sed -f runs a script from a file'],
  ["sed 's/a/b/e' f", "the sed script 's/a/b/e' may run a command or write a file"],
  ['awk -f x', 'awk -f loads code'],
  ['awk "$x"', 'the awk program "$x" may run a command or write a file'],
  ['nice -Z ls', 'nice has the unknown option -Z'],
  ['bash -c', 'bash -c has no text to run'],
  ['xargs rm', 'it removes what its input names, which is known only when it runs'],
  ['# only a comment', 'it contains no command'],
])('%j is asked about with a reason that names the part', async (command, reason) => {
  const call = { toolName: 'run_shell_command', args: { command } };
  expect(await engine.check(call, { mode: 'default', interactive: true })).toMatchObject({
    decision: 'ask_user',
    reason,
  });
});
