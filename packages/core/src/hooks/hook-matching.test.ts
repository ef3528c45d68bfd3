import { describe, expect, it } from 'vitest';
import { readHookLayers } from './hook-config.ts';
import type { HookEventName } from './hook-events.ts';
import type { SourceKind } from '../protocol/source.ts';
import type { HookLayer } from './hook-layer.ts';
import { chooseHooks } from './hook-matching.ts';

function entries(event: HookEventName, ...matchers: (string | undefined)[]) {
  const definitions = matchers.map((matcher, index) => ({
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: 'command', command: `c${index}` }],
  }));
  return readHookLayers([{ source: 'user', hooks: { [event]: definitions } }]).entries;
}

describe('chooseHooks', () => {
  it.each<[HookEventName, string | undefined, string | undefined, boolean]>([
    ['BeforeTool', undefined, 'read_file', true],
    ['BeforeTool', '', 'read_file', true],
    ['BeforeTool', '*', 'read_file', true],
    ['BeforeTool', 'read', 'read_file', true],
    ['BeforeTool', '^file', 'read_file', false],
    ['BeforeTool', 'write_file|replace', 'replace', true],
    ['BeforeTool', '(', '(', true],
    ['BeforeTool', '(', 'read_file', false],
    ['AfterTool', 'search_file_content', 'grep_search', true],
    ['SessionStart', 'startup', 'startup', true],
    ['SessionStart', 'start', 'startup', false],
    ['SessionEnd', 'clear', 'exit', false],
    ['PreCompress', 'auto', 'auto', true],
    ['BeforeAgent', 'anything', undefined, true],
    ['Notification', 'anything', undefined, true],
  ])('for %s with the matcher %j and %j: %j', (event, matcher, trigger, expected) => {
    expect(chooseHooks(entries(event, matcher), event, trigger).entries.length > 0).toBe(expected);
  });

  it('runs all in a row as soon as one that matches wants it', () => {
    const hooks = (sequential: boolean, matcher: string) => ({
      matcher,
      sequential,
      hooks: [{ type: 'command', command: `${matcher} ${sequential}` }],
    });
    const { entries: both } = readHookLayers([
      { source: 'user', hooks: { BeforeTool: [hooks(false, 'a'), hooks(true, 'b')] } },
    ]);
    expect(['a', 'b', 'ab'].map((name) => chooseHooks(both, 'BeforeTool', name).isSequential)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('fires the same hook of two files once, as the person wrote it', () => {
    const layer = (source: SourceKind, timeout: number): HookLayer => ({
      source,
      hooks: {
        BeforeTool: [
          {
            hooks: [
              { type: 'command', name: 'guard', command: 'check', timeout },
              { type: 'command', command: source },
            ],
          },
        ],
      },
    });
    const { entries: all } = readHookLayers([layer('user', 5), layer('project', 1)]);
    expect(
      chooseHooks(all, 'BeforeTool', 'x').entries.map(({ name, source, timeoutMs }) => [name, source, timeoutMs]),
    ).toEqual([
      ['guard', 'user', 5],
      ['project', 'project', 60_000],
      ['user', 'user', 60_000],
    ]);
  });
});
