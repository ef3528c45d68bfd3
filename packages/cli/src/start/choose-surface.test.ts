import { describe, expect, it } from 'vitest';
import type { CliArguments } from '../args/args.ts';
import { ExitError } from '../exit-codes.ts';
import { chooseSurface } from './choose-surface.ts';
import type { Surface } from './choose-surface.ts';

const NOTICE = 'A prompt without -p opens the terminal UI. For a headless answer: castor -p "…"';
const talk: Surface = { kind: 'interactive', prompt: '' };
const silent: Surface = { kind: 'headless', prompt: '' };

function ask(args: CliArguments, environment: Record<string, string> = {}, input = true, output = true): Surface {
  return chooseSurface({ args, environment, isInputTerminal: input, isOutputTerminal: output });
}

describe('chooseSurface', () => {
  it.each<[string, Surface, Surface]>([
    ['nothing but a terminal', ask({}), talk],
    ['words on a terminal', ask({ query: 'hi' }), { kind: 'interactive', prompt: 'hi', notice: NOTICE }],
    ['-i', ask({ promptInteractive: 'hi' }), { kind: 'interactive', prompt: 'hi' }],
    [
      '-i although stdout is no terminal',
      ask({ promptInteractive: 'hi' }, {}, true, false),
      { kind: 'interactive', prompt: 'hi' },
    ],
    ['-i in CI', ask({ promptInteractive: 'hi' }, { CI: 'true' }), { kind: 'interactive', prompt: 'hi' }],
    ['-p', ask({ prompt: 'hi' }), { kind: 'headless', prompt: 'hi' }],
    ['an empty -p', ask({ prompt: '' }), silent],
    ['an empty -p beside words', ask({ prompt: '', query: 'hi' }), { kind: 'headless', prompt: 'hi' }],
    ['a pipe in', ask({}, {}, false), silent],
    ['a pipe out', ask({ query: 'hi' }, {}, true, false), { kind: 'headless', prompt: 'hi' }],
    ['CI=true', ask({ query: 'hi' }, { CI: 'true' }), { kind: 'headless', prompt: 'hi' }],
    ['GITHUB_ACTIONS=true', ask({}, { GITHUB_ACTIONS: 'true' }), silent],
    ['CI with the integration test', ask({}, { CI: 'true', GEMINI_CLI_INTEGRATION_TEST: 'true' }), talk],
    ['another value of CI', ask({}, { CI: '1' }), talk],
    ['CI=false', ask({}, { CI: 'false' }), talk],
    ['a variable that begins with CI_', ask({}, { CI_TOKEN: 'x' }), talk],
    ['NO_COLOR and a dumb terminal', ask({}, { NO_COLOR: '1', TERM: 'dumb' }), talk],
    ['acp', ask({ acp: true }, {}, false, false), { kind: 'acp' }],
    ['the old acp', ask({ experimentalAcp: true }, { CI: 'true' }), { kind: 'acp' }],
    ['a program on stdin', ask({ inputFormat: 'stream-json' }), silent],
  ])('is right for %s', (_, chosen, expected) => {
    expect(chosen).toEqual(expected);
  });

  it('refuses a conversation without a terminal to type into', () => {
    expect(() => ask({ promptInteractive: 'hi' }, {}, false)).toThrow(
      new ExitError(42, 'Error: The --prompt-interactive flag cannot be used when input is piped from stdin.'),
    );
    expect(() => ask({ promptInteractive: 'hi', query: 'there' }, {}, false)).toThrow(
      new ExitError(42, 'Error: The --prompt-interactive flag cannot be used when input is piped from stdin.'),
    );
    expect(() => ask({ promptInteractive: 'hi', query: 'there' })).toThrow('not both');
  });
});
