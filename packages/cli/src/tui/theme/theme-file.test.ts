import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { isThemePath, readThemeFile } from './theme-file.ts';

const SUNSET = { name: 'Sunset', type: 'custom', text: { primary: '#ff8800' } };

describe('a theme in a file', () => {
  it.each([
    ['~/themes/sunset.json', { name: 'Sunset', customThemes: { Sunset: SUNSET } }],
    ['themes/sunset.json', { name: 'Sunset', customThemes: { Sunset: SUNSET } }],
    ['themes/nameless.json', { name: 'nameless', customThemes: { nameless: {} } }],
    ['themes/broken.json', { problem: expect.stringMatching(/broken\.json is not readable: .*JSON/) }],
    ['themes/missing.json', { problem: expect.stringContaining('ENOENT') }],
    ['themes/large.json', { problem: expect.stringContaining('larger than 64 KiB') }],
    ['../project/outside.json', { problem: expect.stringContaining('outside your home') }],
    ['themes/link.json', { problem: expect.stringContaining('outside your home') }],
  ])('%s is used, or said why not', async (given, expected) => {
    await using workspace = await createWorkspace({
      homeFiles: {
        'themes/sunset.json': JSON.stringify(SUNSET),
        'themes/nameless.json': '{}',
        'themes/broken.json': '{',
        'themes/large.json': JSON.stringify({ name: 'x'.repeat(70_000) }),
      },
      files: { 'outside.json': '{}' },
    });
    await symlink(join(workspace.project, 'outside.json'), join(workspace.home, 'themes', 'link.json'));
    expect(readThemeFile(given, workspace.home)).toEqual(expected);
  });

  it('is told from a name', () => {
    expect(['Default Light', 'mine.json', '~/x', 'C:\\x'].map(isThemePath)).toEqual([false, true, true, true]);
  });
});
