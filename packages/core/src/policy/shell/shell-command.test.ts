import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Node, Parser } from 'web-tree-sitter';
import { loadShellParser, parseShellLine } from './shell-command.ts';

beforeAll(loadShellParser);

describe('a shell line', () => {
  it('gives words after quote removal, and says which are certain', () => {
    const [command] = parseShellLine('r\\m -r"f" $HOME/x* "$Y" ~/z', new Map([['HOME', '/home/me']])).commands;
    expect(command?.words).toEqual([
      { value: 'rm', text: 'r\\m', kind: 'literal', skeleton: 'rm' },
      { value: '-rf', text: '-r"f"', kind: 'literal', skeleton: '-rf' },
      { value: '/home/me/x*', text: '$HOME/x*', kind: 'glob', skeleton: '/home/me/x*' },
      { value: '$Y', text: '"$Y"', kind: 'dynamic', skeleton: '' },
      { value: '/home/me/z', text: '~/z', kind: 'resolved', skeleton: '/home/me/z' },
    ]);
  });

  it('gives redirections and says which write', () => {
    const [command] = parseShellLine('a < in > out 2>&1 2>/dev/null &> all <> both').commands;
    expect(command?.redirections.map(({ operator, target, writes }) => [operator, target.value, writes])).toEqual([
      ['<', 'in', false],
      ['>', 'out', true],
      ['>&', '1', false],
      ['>', '/dev/null', false],
      ['&>', 'all', true],
      ['<>', 'both', true],
    ]);
  });

  it.each([
    ['X=rm; $X y', ['rm', 'y']],
    ['X="rm y"; $X', ['rm', 'y']],
    ['export X=rm; ${X} y', ['rm', 'y']],
  ])('follows a variable the line itself sets: %s', (line, words) => {
    expect(
      parseShellLine(line)
        .commands.at(-1)
        ?.words.map(({ value }) => value),
    ).toEqual(words);
  });

  it.each([
    '$X y; X=rm',
    'false && X=rm; $X y',
    'X=rm $X y',
    'X=rm; X=ls; $X y',
    'X=rm; read X; $X y',
    'if a; then X=rm; fi; $X y',
  ])('does not follow a variable that may hold something else: %s', (line) => {
    const command = parseShellLine(line).commands.find(({ words }) => words.at(-1)?.value === 'y');
    expect(command?.words[0]).toMatchObject({ value: '$X', kind: 'dynamic' });
  });

  it.each([
    'echo "x',
    "echo 'x",
    'echo $(x',
    'if x',
    'x )',
    'cat <<E\nx',
    'a\rb',
    'a \u202e b',
    'a\u200bb',
    'a \x1b[8m b',
    'a\0b',
  ])('has a problem when it cannot be read with certainty: %j', (line) => {
    expect(parseShellLine(line).problems).not.toEqual([]);
  });

  it('refuses to read more than Linux would hand to a shell', () => {
    expect(parseShellLine(`echo ${'x'.repeat(131_072)}`)).toEqual({
      commands: [],
      problems: ['The command is longer than 131,072 characters.'],
    });
  });
});

describe('the commands found', () => {
  const corpus = JSON.parse(readFileSync(join(import.meta.dirname, 'shell-corpus.json'), 'utf8')) as string[];
  let oracle: Parser;

  beforeAll(async () => {
    const require = createRequire(import.meta.url);
    const { Language, Parser: OracleParser } = await import('web-tree-sitter');
    await OracleParser.init();
    oracle = new OracleParser();
    oracle.setLanguage(await Language.load(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm')));
  });

  /** The grammar has nodes of its own for these, so it does not call them commands. */
  const OWN_NODES = new Set(['export', 'declare', 'local', 'readonly', 'typeset', 'unset', '[']);

  /** Where the grammar finds less than a shell runs. */
  const GAPS = new Map([
    ['time a', ['a']],
    ['echo ${x:=`a`}', ['a', 'echo']],
    ['cat <<A\n`b`\nA', ['b', 'cat']],
  ]);

  function namesOfOracle(source: string): { names: string[]; broken: boolean } {
    const tree = oracle.parse(source);
    if (tree === null) throw new Error('the oracle gave no tree');
    const names: string[] = [];
    const visit = (node: Node) => {
      if (node.type === 'command_name') names.push(node.text);
      for (const child of node.children) if (child !== null) visit(child);
    };
    visit(tree.rootNode);
    return { names: names.sort(), broken: tree.rootNode.hasError };
  }

  it('are compared on at least 100 lines', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(100);
  });

  it.each(corpus)('are those an independent grammar finds: %j', (source) => {
    const { commands, problems } = parseShellLine(source);
    const names = commands
      .flatMap(({ words }) => words[0]?.text ?? [])
      .filter((name) => !OWN_NODES.has(name))
      .sort();
    // What arithmetic does with a value is no matter of the grammar.
    const broken = problems.some((problem) => !problem.startsWith('An arithmetic expression evaluates'));
    expect({ names, broken }).toEqual(
      GAPS.has(source) ? { names: GAPS.get(source), broken: false } : namesOfOracle(source),
    );
  });
});
