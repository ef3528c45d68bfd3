/** The file in which Gemini CLI encrypts secrets. */

import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { mcpServer } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { readEncryptedStore } from './encrypted-store.ts';
import { openHome, toServer } from './sign-in.fixture.ts';

function encrypt(values: unknown, salt: string, ivLength = 12): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', scryptSync('gemini-cli-oauth', salt, 32), iv);
  const content = Buffer.concat([cipher.update(JSON.stringify(values)), cipher.final()]);
  return [iv, cipher.getAuthTag(), content].map((part) => part.toString('hex')).join(':');
}

const OWN = `${hostname()}-${userInfo().username}-gemini-cli`;

describe('the encrypted file of Gemini CLI', () => {
  it.each([12, 16])('is read, with a vector of %i bytes', async (length) => {
    await using home = await openHome();
    home.write('c.json', encrypt({ 'gemini-cli-oauth': { one: 'secret', two: 7 }, other: { a: 'b' } }, OWN, length));
    expect(await readEncryptedStore(join(home.home, '.gemini', 'c.json'))).toEqual({ one: 'secret' });
  });

  it.each(['of another machine', 'damaged'])('is named if it is unreadable: %s', async (kind) => {
    await using server = await mcpServer({ oauth: {} });
    await using home = await openHome();
    home.write('gemini-credentials.json', kind === 'damaged' ? 'x' : encrypt({}, 'other-me-gemini-cli'));
    expect(await home.signIns.stateOf(toServer({ url: server.url }))).toMatchObject({
      status: 'signed-out',
      problem: expect.stringMatching(
        /gemini-credentials\.json is not readable: Gemini CLI encrypted it on a machine/,
      ) as string,
    });
  });

  it('signs in; a renewed token goes to the plain file', async () => {
    await using server = await mcpServer({
      tools: [{ name: 'echo' }],
      oauth: { clients: [{ id: 'known' }], refreshTokens: ['first-refresh'] },
    });
    await using home = await openHome();
    const signIn = {
      serverName: 'one',
      token: { accessToken: 'old-access', refreshToken: 'first-refresh', expiresAt: 1, tokenType: 'Bearer' },
      clientId: 'known',
      tokenUrl: `${server.origin}/token`,
      mcpServerUrl: server.url,
      updatedAt: 1,
    };
    home.write('gemini-credentials.json', encrypt({ 'gemini-cli-oauth': { one: JSON.stringify(signIn) } }, OWN));
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state.status).toBe('ready');
    expect(home.stored).toMatchObject([{ serverName: 'one', clientId: 'known' }]);
  });
});
