import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { readInstallationId } from './installation-id.ts';

describe('the name of the installation', () => {
  it('is made once, and is the one Gemini CLI made where there is one', async () => {
    await using fresh = await createWorkspace();
    const first = readInstallationId(fresh.home);
    expect([first, readInstallationId(fresh.home)]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), first]);
    await using known = await createWorkspace({ homeFiles: { '.gemini/installation_id': 'abc\n' } });
    expect(readInstallationId(known.home)).toBe('abc');
  });

  it('is nothing where it cannot be kept', () => {
    expect(readInstallationId('/dev/null')).toBeUndefined();
  });
});
