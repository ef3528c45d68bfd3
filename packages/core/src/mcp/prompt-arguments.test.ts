import { expect, it } from 'vitest';
import { readPromptArguments } from './prompt-arguments.ts';

const argument = (text: string) => {
  const [name = '', mark] = text.split('?');
  return { name, description: '', isRequired: mark === undefined };
};

it.each<[string, string[], Record<string, string>]>([
  ['', [], {}],
  ['', ['tone?'], {}],
  ['--file=a.ts', ['file'], { file: 'a.ts' }],
  ['--file a.ts', ['file'], { file: 'a.ts' }],
  ['--file="my file.ts"', ['file'], { file: 'my file.ts' }],
  [String.raw`--file="say \"hi\" \\ there"`, ['file'], { file: String.raw`say "hi" \ there` }],
  ['--file=', ['file'], { file: '' }],
  ['a.ts', ['file'], { file: 'a.ts' }],
  ['all of these words', ['text'], { text: 'all of these words' }],
  ['"one two" three', ['a', 'b'], { a: 'one two', b: 'three' }],
  ['one two three', ['a', 'b'], { a: 'one', b: 'two three' }],
  ['--b=2 one', ['a', 'b'], { a: 'one', b: '2' }],
  ['one --tone=kind', ['a', 'tone?'], { a: 'one', tone: 'kind' }],
  ['one two', ['a', 'tone?'], { a: 'one two' }],
  ['one two kind words', ['a', 'b', 'tone?'], { a: 'one', b: 'two', tone: 'kind words' }],
  ['kind', ['tone?'], { tone: 'kind' }],
  ['"--file=x"', ['text'], { text: '--file=x' }],
  ['--file=a=b=c', ['file'], { file: 'a=b=c' }],
  ['--a=ä😀', ['a'], { a: 'ä😀' }],
])('%j for %j', (text, declared, values) => {
  expect(readPromptArguments(text, declared.map(argument))).toEqual({ values });
});

it.each<[string, string[], string]>([
  ['', ['a', 'b', 'c?'], 'Missing required argument(s): --a, --b'],
  ['one', ['a', 'b'], 'Missing required argument(s): --b'],
  ['--b=1', ['a', 'b'], 'Missing required argument(s): --a'],
  ['--nope=1 x', ['a'], 'Unknown argument(s): --nope. The prompt takes --a.'],
  ['x', [], 'Too many arguments: x. The prompt takes no arguments.'],
  ['--a=1 x', ['a'], 'Too many arguments: x. The prompt takes --a.'],
])('%j for %j is told: %s', (text, declared, problem) => {
  expect(readPromptArguments(text, declared.map(argument)).problem).toBe(problem);
});
