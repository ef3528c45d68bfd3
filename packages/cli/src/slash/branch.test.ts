/** `/branch`: what completion offers after it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveProjectDirectory } from '@castor/core/program';
import { expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import { openCommands } from './index.ts';

it('offers its sub-commands, and the names of the branches after those that take one', async () => {
  await using session = await openPromptFixture({});
  const { home, agent } = session;
  const directory = await resolveProjectDirectory({ home, root: agent.workspace.root });
  mkdirSync(directory, { recursive: true });
  const branches = ['one', 'two'].map((name) => ({ name, root: `/gone/${name}` }));
  writeFileSync(join(directory, 'branches.json'), JSON.stringify({ branches }));
  const commands = await openCommands(agent.sources);
  const offered = commands.find('/branch')?.command.subCommands ?? [];
  expect(offered.map(({ name }) => name)).toEqual(['list', 'compare', 'merge', 'drop']);
  const names = await Promise.all(offered.map(async (each) => each.names?.({ agent, home })));
  expect(names).toEqual([undefined, ['one', 'two'], ['one', 'two'], ['one', 'two']]);
  // Any other word is still the name of a new branch.
  expect(commands.find('/branch try 2')).toMatchObject({ path: 'branch', args: 'try 2' });
});
