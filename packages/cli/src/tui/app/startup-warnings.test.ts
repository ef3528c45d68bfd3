import { loadConfiguration } from '@castor/core/program';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Start } from '../../start/start.ts';
import { capWarnings, startupWarnings } from './startup-warnings.ts';

async function warn(settings: object, environment: Record<string, string>): Promise<string[]> {
  const homeFiles = { '.gemini/settings.json': JSON.stringify(settings) };
  await using workspace = await createWorkspace({ homeFiles });
  const { home, project: cwd } = workspace;
  const loaded = loadConfiguration({ home, cwd, environment, platform: 'linux', isTrusted: () => false });
  // Only what it reads is needed.
  return startupWarnings({ settings: loaded.settings, cwd, home, environment } as Start);
}

const FINE = { TERM: 'xterm-256color' };
const QUIET = { ui: { showCompatibilityWarnings: false } };

describe('what a person is told of their terminal and their editor', () => {
  it.each<[object, Record<string, string>, RegExp[]]>([
    [{}, FINE, []],
    [{}, { TERM: 'dumb' }, [/TERM=dumb/]],
    [QUIET, { TERM: 'dumb' }, []],
    [{}, { TERM: 'linux' }, [/few colours/]],
    [QUIET, { TERM: 'linux' }, []],
    [{ general: { preferredEditor: 'vim' } }, FINE, []],
    [{ general: { preferredEditor: 'ed' } }, FINE, [/unknown editor "ed"\. Use one of vscode, /]],
  ])('with %j in %j is %j', async (settings, environment, expected) => {
    expect(await warn(settings, environment)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe('the warnings of a start', () => {
  it.each([
    [0, []],
    [4, ['1', '2', '3', '4']],
    [7, ['1', '2', '3', '4 more: castor doctor']],
  ])('of %d are %j', (count, shown) => {
    expect(capWarnings(Array.from({ length: count }, (_, index) => `${index + 1}`))).toEqual(shown);
  });
});
