import { describe, expect, it } from 'vitest';
import { findSubcommand, parseArguments, UsageError } from './args.ts';
import { FLAGS } from './flags.ts';
import { helpText, SECTIONS } from './help.ts';

describe('parseArguments', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['-p', 'hi'], { prompt: 'hi' }],
    [['--prompt=a=b'], { prompt: 'a=b' }],
    [['-p', '- a list item'], { prompt: '- a list item' }],
    [['-p', '-5 is negative'], { prompt: '-5 is negative' }],
    [['-p', ''], { prompt: '' }],
    [['what', 'is', 'this'], { query: 'what is this' }],
    [['--', '-p', 'is', 'a', 'flag'], { query: '-p is a flag' }],
    [['-m', 'flash', '-m', 'pro', 'hi'], { model: 'pro', query: 'hi' }],
    [['--model=flash'], { model: 'flash' }],
    [['--raw-output', '--no-raw-output'], { rawOutput: false }],
    [['--accept-raw-output-risk=true'], { acceptRawOutputRisk: true }],
    [['--fake-responses', 'f', '--record-responses', 'r'], { fakeResponses: 'f', recordResponses: 'r' }],
    [['-h', '--version'], { help: true, version: true }],
    [['--max-turns', '3', '--max-cost=0.5'], { maxTurns: '3', maxCost: '0.5' }],
    [['--input-format', 'stream-json'], { inputFormat: 'stream-json' }],
    [['--ignore-env', '--skip-trust'], { ignoreEnv: true, skipTrust: true }],
    [['-r', '--continue', '--fork'], { resume: '', continue: true, fork: true }],
  ])('reads %j', (argv, expected) => {
    expect(parseArguments(argv)).toEqual(expected);
  });

  // How the option parser of Gemini CLI reads the same words.
  it.each<[string, string[], object]>([
    ['names in camel case', ['--outputFormat', 'text'], { outputFormat: 'text' }],
    ['a switch before true or false', ['--yolo', 'false', 'hi'], { yolo: false, query: 'hi' }],
    ['a switch before other words', ['--yolo', 'hi'], { yolo: true, query: 'hi' }],
    ['a group of short switches', ['-yd'], { yolo: true, debug: true }],
    ['a group whose last letter takes a value', ['-yp', 'hi'], { yolo: true, prompt: 'hi' }],
    ['a short flag with an equals sign', ['-m=flash'], { model: 'flash' }],
    ['a short flag with digits', ['-r5'], { resume: '5' }],
    ['an optional value that is there', ['-r', '3'], { resume: '3' }],
    ['an optional value before a flag', ['-r', '-p', 'hi'], { resume: '', prompt: 'hi' }],
    ['an optional value at the end', ['hi', '-r'], { resume: '', query: 'hi' }],
    ['an optional name', ['-w'], { worktree: '' }],
    ['an optional name that is given', ['--worktree', 'fix'], { worktree: 'fix' }],
    ['a prompt flag without words', ['-p', '-y'], { prompt: '', yolo: true }],
    ['an empty prompt beside words', ['-p', '-y', 'hi'], { prompt: '', yolo: true, query: 'hi' }],
    ['words before and after flags', ['fix', '-y', 'this'], { yolo: true, query: 'fix this' }],
    ['a negative number among the words', ['what', 'is', '-5'], { query: 'what is -5' }],
    ['a list with commas', ['--allowed-tools', ' a, b ,,c'], { allowedTools: ['a', 'b', 'c'] }],
    ['a list given twice', ['--policy', 'a', '--policy', 'b,c'], { policy: ['a', 'b', 'c'] }],
    ['one value for each list flag', ['-e', 'none', 'b'], { extensions: ['none'], query: 'b' }],
    ['a list that is empty', ['--allowed-mcp-server-names', ''], { allowedMcpServerNames: [''] }],
    ['a list of nothing but commas', ['--allowed-mcp-server-names', ','], { allowedMcpServerNames: [] }],
    ['the old spelling of acp', ['--experimental-acp'], { experimentalAcp: true }],
  ])('reads %s as yargs does', (_, argv, expected) => {
    expect(parseArguments(argv)).toEqual(expected);
  });

  it.each<[string[], string]>([
    [['--modle', 'x'], 'unknown flag --modle. Did you mean --model?'],
    [['--out', 'x'], 'unknown flag --out. Did you mean --output-format?'],
    [['-prompt', 'x'], 'unknown flag -prompt. Did you mean --prompt?'],
    [['--frobnicate'], 'unknown flag --frobnicate.'],
    [['--no-model'], 'unknown flag --no-model.'],
    [['--constructor'], 'unknown flag --constructor.'],
    [['-x'], 'unknown flag -x.'],
    [['-yx'], 'unknown flag -yx.'],
    [['-m', '--raw-output'], '--model needs a value: --model <name>.'],
    [['--policy'], '--policy needs a value: --policy <path>.'],
    [['--raw-output=loud'], '--raw-output takes no value.'],
    [['-p', 'a', '-p', 'b'], '--prompt is repeated; pass it once.'],
    [['-p', 'a', 'b'], 'pass the prompt either with --prompt (-p) or after the flags, not both.'],
    [['-p', 'a', '-i', 'b'], 'use --prompt (-p) or --prompt-interactive (-i), not both.'],
    [
      ['-y', '--approval-mode', 'plan'],
      'use --yolo (-y) or --approval-mode, not both; --approval-mode yolo is the same as --yolo.',
    ],
    [['-r', '--session-id', 'a'], 'use only one of --resume, --session-id and --session-file.'],
    [['--session-file', 'a', '--session-id', 'a'], 'use only one of --resume, --session-id and --session-file.'],
    [['--session-id', ''], '--session-id may contain only letters, digits, - and _, not "".'],
    [['--session-id', '../x'], '--session-id may contain only letters, digits, - and _, not "../x".'],
    [['--fork'], '--fork needs --resume or --continue: it copies that session.'],
    [['-o', 'yaml'], '--output-format must be text, json or stream-json, not "yaml".'],
    [['--input-format', 'json'], '--input-format must be text or stream-json, not "json".'],
    [['--approval-mode', 'wild'], '--approval-mode must be default, auto_edit, yolo or plan, not "wild".'],
    [
      ['--input-format', 'stream-json', '-o', 'json'],
      '--input-format stream-json needs stream-json output; remove --output-format or set it to stream-json.',
    ],
  ])('refuses %j', (argv, sentence) => {
    expect(() => parseArguments(argv)).toThrow(new UsageError(sentence));
  });
});

describe('helpText', () => {
  it('fits 80 columns', () => {
    expect(
      helpText()
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  it('has a sentence for every supported flag that is no secret, once', () => {
    const documented = Object.entries(FLAGS).flatMap(([name, flag]) =>
      'hidden' in flag || 'unsupported' in flag ? [] : name,
    );
    expect(SECTIONS.flatMap(([, rows]) => rows.map(([name]) => name)).toSorted()).toEqual(documented.toSorted());
  });
});

describe('findSubcommand', () => {
  const find = (...argv: string[]) => findSubcommand(argv, new Set(['mcp', 'doctor']));

  it.each<[string[], string[] | undefined]>([
    [
      ['mcp', 'list'],
      ['mcp', 'list'],
    ],
    [
      ['--debug', 'mcp', 'list'],
      ['mcp', 'list'],
    ],
    [
      ['-d', 'doctor', '-o', 'json'],
      ['doctor', '-o', 'json'],
    ],
    [['--debug', 'true', 'mcp'], ['mcp']],
    [['--model', 'mcp', 'hello'], undefined],
    [['--', 'mcp'], undefined],
    [['tell', 'mcp'], undefined],
    [[], undefined],
  ])('finds in %j: %j', (argv, expected) => {
    expect(find(...argv)).toEqual(expected);
  });

  it('rejects flags that a sub-command has no use for', () => {
    expect(() => find('--model', 'x', 'mcp', 'list')).toThrow('--model has no effect on castor mcp; leave it out.');
  });
});
