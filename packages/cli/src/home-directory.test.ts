import { userInfo } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { homeDirectory } from './home-directory.ts';

describe('homeDirectory', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each<[string, string, Record<string, string>, string]>([
    ['the one that was chosen', '/home/me', { GEMINI_CLI_HOME: '/other' }, '/other'],
    ['the one of the environment', '/home/me', { GEMINI_CLI_HOME: '' }, '/home/me'],
    ["the account's where HOME is empty, never the current folder", '', {}, userInfo().homedir],
  ])('is %s', (_, home, environment, expected) => {
    vi.stubEnv('HOME', home);
    expect(homeDirectory(environment)).toBe(expected);
  });
});
