import { describe, expect, it } from 'vitest';
import { toHookLayers } from './hook-layers.ts';

const hooks = (command: string, token: string) => ({
  BeforeTool: [{ matcher: '$X', hooks: [{ type: 'command', command, env: { TOKEN: token } }] }],
});

describe('toHookLayers', () => {
  it('takes commands as they are written and the environment as it is meant', () => {
    const layer = {
      scope: 'workspace' as const,
      path: '/p/.gemini/settings.json',
      raw: { hooks: hooks('run "$X"', '$X'), hooksConfig: { disabled: ['a'] } },
      values: { hooks: hooks('run "value"', 'value') },
    };
    expect(toHookLayers([layer])).toEqual([
      {
        source: 'project',
        file: '/p/.gemini/settings.json',
        hooks: hooks('run "$X"', 'value'),
        hooksConfig: { disabled: ['a'] },
      },
    ]);
  });

  it('knows where a layer comes from, and passes over those that say nothing', () => {
    const scopes = ['defaults', 'systemDefaults', 'user', 'workspace', 'system', 'environment'] as const;
    const layers = scopes.map((scope) => ({ scope, raw: { hooks: {} }, values: {} }));
    expect(toHookLayers(layers).map(({ source }) => source)).toEqual(['system', 'user', 'project', 'system']);
    expect(toHookLayers([{ scope: 'user', raw: {}, values: {} }])).toEqual([]);
  });

  it.each([null, 5, 'x', [], { BeforeTool: 5 }, { BeforeTool: [null, { hooks: [{ env: 5 }] }] }])(
    'passes %j on as it is',
    (written) => {
      expect(toHookLayers([{ scope: 'user', raw: { hooks: written }, values: {} }])[0]?.hooks).toEqual(written);
    },
  );
});
