import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { runPolicyCommand } from '../../packages/cli/src/commands/policy.ts';
import { prepareStart } from '../../packages/cli/src/start/start.ts';
import { decideOnFolder } from '../../packages/cli/src/start/trust-folder.ts';
import { trustedFoldersFile } from '../../packages/cli/src/start/trust.ts';

const ROOT = join(import.meta.dirname, '..', '..');

function callersOf(call: string, packageName: string): string[] {
  const folder = join(ROOT, 'packages', packageName, 'src');
  return globSync('**/*.ts', { cwd: folder })
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
    .filter((file) => readFileSync(join(folder, file), 'utf8').replace(`function ${call}`, '').includes(call))
    .map((file) => file.replaceAll('\\', '/'));
}

describe('the list of sources', () => {
  it('is computed by the start of the program, and by core only for a caller without a list', () => {
    expect(callersOf('computeSources(', 'cli')).toEqual(['start/start.ts']);
    expect(callersOf('computeSources(', 'core')).toEqual(['agent/workspace-agent.ts']);
  });

  it('is handed on when the settings of a run are read again, and changes with the trust in the folder', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': '{}' } });
    const { home, project: cwd } = workspace;
    const environment = { GEMINI_API_KEY: 'key' };
    const first = prepareStart({ args: {}, cwd, home, environment, installed: undefined, isAttended: true });
    const again = prepareStart({ ...first, isAttended: true });
    expect(again.sources).toBe(first.sources);

    const file = trustedFoldersFile({ home, environment });
    decideOnFolder({ folder: cwd, level: 'TRUST_FOLDER', file, home, programs: { servers: [], hooks: [] } });
    const trusted = prepareStart({ ...again, isAttended: true });
    const project = (sources: typeof first.sources) => sources.find(({ kind }) => kind === 'project');
    expect([project(first.sources)?.trusted, project(trusted.sources)?.trusted]).toEqual([false, true]);
  });

  it('is the list of castor policy test too, which needs readable settings like a run', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': '{ "ui": 3' } });
    const io = { stdout: () => undefined, stderr: () => undefined, environment: {} };
    const run = runPolicyCommand(['test'], { ...io, home: workspace.home, cwd: workspace.project });
    await expect(run).rejects.toThrow(/settings\.json/);
  });
});
