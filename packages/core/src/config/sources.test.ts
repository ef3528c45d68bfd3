import { describe, expect, it } from 'vitest';
import { findPlaces } from '../util/find-places.ts';
import { computeSources } from './sources.ts';

const PLACE = { home: '/home/a', root: '/work/p', platform: 'linux' } as const;

describe('the sources of a start', () => {
  it.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])('with a folder whose trust is %j: the project is trusted: %j', (trustedFolder, trusted) => {
    expect(computeSources({ ...PLACE, trustedFolder })).toEqual([
      { kind: 'user', name: 'user', directory: '/home/a/.gemini', trusted: true },
      { kind: 'project', name: 'workspace', directory: '/work/p/.gemini', trusted },
      { kind: 'system', name: 'system', directory: '/etc/gemini-cli', trusted: true },
    ]);
  });

  it.each([
    ['commands', ['/home/a/.gemini/commands', '/work/p/.gemini/commands']],
    ['context', ['/home/a/.gemini']],
    ['hooks', []],
    ['policies', ['/home/a/.gemini/policies', '/etc/gemini-cli/policies']],
    ['skills', ['/home/a/.gemini/skills', '/work/p/.gemini/skills']],
    ['sharedSkills', ['/home/a/.agents/skills', '/work/p/.agents/skills']],
    ['themes', []],
  ] as const)('keep %s in %j', (content, paths) => {
    const sources = computeSources({ ...PLACE, trustedFolder: true });
    expect(findPlaces(sources, content).map(({ path }) => path)).toEqual(paths);
  });

  it('keep nothing anywhere when they are not trusted', () => {
    const sources = computeSources({ ...PLACE, trustedFolder: undefined });
    expect(findPlaces(sources, 'commands').map(({ source }) => source.kind)).toEqual(['user']);
  });

  it('count a folder they share once, for the user', () => {
    const sources = computeSources({ ...PLACE, root: PLACE.home, trustedFolder: true });
    expect(findPlaces(sources, 'commands').map(({ source }) => source.kind)).toEqual(['user']);
  });
});
