import { describe, expect, it } from 'vitest';
import { readHookLayers } from './hook-config.ts';
import type { HookLayer } from './hook-layer.ts';

const command = (name: string, rest: object = {}) => ({ type: 'command', command: name, ...rest });
const user = (hooks: unknown, hooksConfig?: unknown): HookLayer => ({
  source: 'user',
  file: '/u.json',
  hooks,
  hooksConfig,
});

describe('readHookLayers', () => {
  it('reads every field, and gives defaults to those that are absent', () => {
    const full = command('b', { name: 'n', timeout: 5, description: 'd', env: { A: '1' } });
    const hooks = { BeforeTool: [{ matcher: 'x', sequential: true, hooks: [command('a'), full] }] };
    const shared = {
      event: 'BeforeTool',
      source: 'user',
      file: '/u.json',
      matcher: 'x',
      sequential: true,
      isDisabled: false,
    };
    expect(readHookLayers([user(hooks)])).toEqual({
      entries: [
        { ...shared, name: 'a', command: 'a', timeoutMs: 60_000, env: {} },
        { ...shared, name: 'n', command: 'b', timeoutMs: 5, description: 'd', env: { A: '1' } },
      ],
      problems: [],
    });
  });

  it('puts them in the order of their sources', () => {
    const layer = (source: HookLayer['source']): HookLayer => ({
      source,
      hooks: { BeforeAgent: [{ hooks: [command(source)] }] },
    });
    const { entries } = readHookLayers((['extension', 'system', 'user', 'project'] as const).map(layer));
    expect(entries.map(({ name }) => name)).toEqual(['project', 'user', 'system', 'extension']);
  });

  it.each<[string, unknown, string]>([
    ['a list', [], '/u.json: "hooks" must be an object of events, not a list. Castor runs none of its hooks.'],
    ['an unknown event', { Foo: [] }, '/u.json: hooks.Foo was skipped: unknown event. The events are BeforeTool,'],
    ['another agent’s event', { PreToolUse: [] }, 'unknown event. Write BeforeTool.'],
    ['a misspelt event', { before_tool: [] }, 'Write BeforeTool.'],
    ['a name every object has', { constructor: [] }, 'unknown event. The events are BeforeTool,'],
    ['no list', { BeforeTool: {} }, '/u.json: hooks.BeforeTool must be a list, not an object.'],
    [
      'no definition',
      { BeforeTool: [5] },
      '/u.json: hooks.BeforeTool[0] was skipped: it must be an object with a list "hooks".',
    ],
    [
      'a matcher that is an invalid regular expression',
      { BeforeTool: [{ matcher: '(', hooks: [] }] },
      '"matcher" "(" is an invalid regular expression; Castor takes it as the name of a tool. Correct it.',
    ],
    ['a matcher that is no text', { BeforeTool: [{ matcher: 1, hooks: [] }] }, '"matcher" must be a string, not 1.'],
    [
      'no type',
      { BeforeTool: [{ hooks: [{ command: 'a' }] }] },
      'hooks.BeforeTool[0].hooks[0] was skipped: its "type" must be "command", not nothing.',
    ],
    ['no command', { BeforeTool: [{ hooks: [{ type: 'command' }] }] }, 'its "command" is missing.'],
    ['a blank command', { BeforeTool: [{ hooks: [command(' ')] }] }, 'its "command" is missing.'],
  ])('leaves out %s and says so', (_, hooks, sentence) => {
    const { entries, problems } = readHookLayers([user(hooks)]);
    expect(entries).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(sentence)]);
  });

  it.each<[string, object, string]>([
    ['a timeout in words', { timeout: '5s' }, '"timeout" must be milliseconds above 0, not "5s"; Castor uses 60000.'],
    ['a timeout of nothing', { timeout: 0 }, '"timeout" must be milliseconds above 0, not 0; Castor uses 60000.'],
    ['a list as environment', { env: [] }, '"env" must be an object of strings, not a list; Castor ignores it.'],
    ['a number in the environment', { env: { A: 1 } }, 'env.A must be a string; Castor ignores it.'],
    ['a name that is no text', { name: 1 }, '"name" must be a string; Castor ignores it.'],
  ])('keeps a hook with %s and says what counts', (_, rest, sentence) => {
    const { entries, problems } = readHookLayers([user({ BeforeTool: [{ hooks: [command('a', rest)] }] })]);
    expect(entries).toMatchObject([{ name: 'a', timeoutMs: 60_000, env: {} }]);
    expect(problems).toEqual([expect.stringContaining(sentence)]);
  });

  it('does not let a bad entry take its neighbours with it', () => {
    const { entries } = readHookLayers([user({ Foo: 1, BeforeTool: [1, { hooks: [1, command('a')] }] })]);
    expect(entries.map(({ name }) => name)).toEqual(['a']);
  });

  it.each<[string, HookLayer[], string[]]>([
    ['by name', [user({}, { disabled: ['p'] })], ['p']],
    ['altogether', [user({}, { enabled: false })], ['p', 'u']],
    [
      'not when an administrator wants them',
      [user({}, { enabled: false }), { source: 'system', hooksConfig: { enabled: true } }],
      [],
    ],
    ['by a project, its own only', [{ source: 'project', hooksConfig: { enabled: false, disabled: ['u'] } }], ['p']],
    ['by a project by name, its own only', [{ source: 'project', hooksConfig: { disabled: ['u', 'p'] } }], ['p']],
    ['not by what is no switch', [user({}, { enabled: 'no', disabled: 'p' })], []],
  ])('switches hooks off %s', (_, layers, expected) => {
    const hooks = (name: string) => ({ BeforeTool: [{ hooks: [command(name)] }] });
    const { entries } = readHookLayers([
      ...layers,
      { source: 'project', hooks: hooks('p') },
      { source: 'user', hooks: hooks('u') },
    ]);
    expect(entries.filter(({ isDisabled }) => isDisabled).map(({ name }) => name)).toEqual(expected);
  });
});
