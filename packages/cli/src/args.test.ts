import { describe, expect, it } from 'vitest';
import { helpText, parseArguments } from './args.ts';
import { ExitError } from './exit-codes.ts';

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
    [['--outputFormat', 'text'], { outputFormat: 'text' }],
    [['--raw-output', '--no-raw-output'], { rawOutput: false }],
    [['--accept-raw-output-risk=true'], { acceptRawOutputRisk: true }],
    [['--fake-responses', 'f', '--record-responses', 'r'], { fakeResponses: 'f', recordResponses: 'r' }],
    [['-h', '--version'], { help: true, version: true }],
  ])('reads %j', (argv, expected) => {
    expect(parseArguments(argv)).toEqual(expected);
  });

  it.each<[string[], string]>([
    [['--modle', 'x'], 'there is no flag --modle. Did you mean --model?'],
    [['--out', 'x'], 'there is no flag --out. Did you mean --output-format?'],
    [['--frobnicate'], 'there is no flag --frobnicate.'],
    [['-x'], 'there is no flag -x.'],
    [['-p'], '--prompt needs a value: --prompt <text>.'],
    [['-m', '--raw-output'], '--model needs a value: --model <name>.'],
    [['--raw-output=loud'], '--raw-output is on or off; it takes no value.'],
    [['-p', 'a', 'b'], 'give the prompt either with --prompt (-p) or as words after the flags, not both.'],
    [['-o', 'yaml'], '--output-format must be text, json or stream-json, not "yaml".'],
  ])('refuses %j', (argv, sentence) => {
    expect(() => parseArguments(argv)).toThrow(new ExitError(1, `${sentence}\nFor the flags: castor --help`));
  });
});

describe('helpText', () => {
  it('fits 80 columns and names every documented flag', () => {
    const lines = helpText().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const flag of ['--prompt', '--model', '--output-format', '--raw-output', '--version', '--help']) {
      expect(helpText()).toContain(flag);
    }
    expect(helpText()).not.toContain('--fake-responses');
  });
});
