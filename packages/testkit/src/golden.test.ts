import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { normalise, readGolden } from './golden.ts';

describe('normalise', () => {
  it.each([
    ['"timestamp":"2026-11-16T03:27:16.554Z"', '"timestamp":"<time>"'],
    ['6e74574f-e35c-4c9d-98d9-d7e059b3d479', '<session>'],
    ['"duration_ms":12,"delay_ms":1', '"duration_ms":"<ms>","delay_ms":"<ms>"'],
    ['"totalLatencyMs": 12', '"totalLatencyMs": "<ms>"'],
    ['trying again in 1.5 s.', 'trying again in <seconds> s.'],
    ['"total_tokens":30', '"total_tokens":30'],
    ['/tmp/x/home/a', '<home>/a'],
  ])('makes %s the same in every run', (text, expected) => {
    expect(normalise(text, { '/tmp/x/home': '<home>' })).toBe(expected);
  });
});

describe('readGolden', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('gives what the file holds, and writes it only when told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'castor-golden-'));
    const path = join(folder, 'below', 'a.txt');
    vi.stubEnv('UPDATE_GOLDEN', '');
    await expect(readGolden(path, 'new')).rejects.toThrow('UPDATE_GOLDEN=1');
    vi.stubEnv('UPDATE_GOLDEN', '1');
    expect(await readGolden(path, 'new')).toBe('new');
    vi.stubEnv('UPDATE_GOLDEN', '');
    expect(await readGolden(path, 'newer')).toBe('new');
    expect(await readFile(path, 'utf8')).toBe('new');
    await rm(folder, { recursive: true });
  });
});
