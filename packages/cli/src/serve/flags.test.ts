import { describe, expect, it } from 'vitest';
import { readServeWords } from './flags.ts';

describe('the words of castor mcp serve', () => {
  it.each<[string[], object]>([
    [[], { isHelp: false, isHttp: false, args: {} }],
    [['--help'], { isHelp: true }],
    [['--http'], { isHttp: true, port: 7820 }],
    [['--http', '--port', '0', '-m', 'pro'], { isHttp: true, port: 0, args: { model: 'pro' } }],
    [['--port=81', '--http', '-y'], { isHttp: true, port: 81, args: { yolo: true } }],
  ])('%j are read', (words, expected) => {
    expect(readServeWords(words)).toMatchObject(expected);
  });

  it.each([
    [['--resume'], '--resume has no effect on castor mcp serve.'],
    [['-p', 'x'], '--prompt has no effect on castor mcp serve.'],
    [['write', 'tests'], '"write tests" has no effect on castor mcp serve.'],
    [['--output-format', 'json'], '--output-format has no effect on castor mcp serve.'],
    [['--port', '80'], '--port needs --http.'],
    [['--http', '--port', 'x'], '--port must be a number from 0 to 65535, not "x".'],
    [['--http', '--port', '70000'], '--port must be a number from 0 to 65535, not "70000".'],
    [['--http', '--port'], '--port must be a number from 0 to 65535, not "".'],
    [['--httpp'], '--httpp'],
  ])('%j are rejected with a sentence', (words, sentence) => {
    expect(() => readServeWords(words)).toThrow(sentence);
  });
});
