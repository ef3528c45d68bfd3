import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { JustInTimeContext } from './just-in-time-context.ts';
import type { JustInTimeOptions } from './just-in-time-context.ts';

const FILES = {
  'GEMINI.md': 'root',
  'a/GEMINI.md': 'in a',
  'a/b/AGENTS.md': 'in b',
  'a/b/c.ts': '',
  'node_modules/p/GEMINI.md': 'evil',
  'gen/GEMINI.md': 'generated',
};

async function open(options: Partial<JustInTimeOptions> = {}) {
  const workspace = await createWorkspace({ files: FILES });
  const told: string[] = [];
  const context = new JustInTimeContext({
    directories: [workspace.project],
    loaded: [{ path: join(workspace.project, 'GEMINI.md') }],
    isIgnoredDirectory: (directory) => directory.endsWith('/gen'),
    onLoaded: (files) => told.push(...files.map(({ path }) => path.replace(`${workspace.project}/`, ''))),
    ...options,
  });
  return {
    told,
    touch: (path: string) => context.forPath(join(workspace.project, path)),
    [Symbol.asyncDispose]: workspace.dispose,
  };
}

describe('context of sub-directories', () => {
  it('is told when something there is touched, from the outside in', async () => {
    await using context = await open();
    expect(await context.touch('a/b/c.ts')).toBe(
      '--- Newly Discovered Project Context ---\n--- Context from: a/GEMINI.md ---\nin a\n--- End of Context from: a/GEMINI.md ---\n\n--- Context from: a/b/AGENTS.md ---\nin b\n--- End of Context from: a/b/AGENTS.md ---\n--- End Project Context ---',
    );
  });

  it('is told once, also to calls side by side, and counts a directory as touched', async () => {
    await using context = await open();
    const answers = await Promise.all([context.touch('a'), context.touch('a/x.ts'), context.touch('a/b/new.ts')]);
    expect(answers.map((answer) => answer?.match(/in ./g))).toEqual([['in a'], undefined, ['in b']]);
    expect(context.told.toSorted()).toEqual(['a/GEMINI.md', 'a/b/AGENTS.md']);
    expect(await context.touch('a/b/c.ts')).toBeUndefined();
  });

  it.each(['c.ts', 'node_modules/p/x.js', 'gen/x.ts', '../elsewhere/x.ts'])(
    'has nothing to say of %s',
    async (path) => {
      await using context = await open();
      expect(await context.touch(path)).toBeUndefined();
    },
  );
});
