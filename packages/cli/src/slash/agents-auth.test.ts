/** `/agents auth`: a sign-in to a remote agent over a scripted authorization server, and what it says where none is possible. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mcpServer } from '@castor/testkit';
import { expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import type { CommandServices } from './command.ts';
import { openCommands } from './index.ts';

const CARD = JSON.stringify({ url: 'http://127.0.0.1:9/rpc', protocolVersion: '1.0' });
const remote = (name: string, auth: object) =>
  `---\nkind: remote\nname: ${name}\ndescription: Knows ${name}.\nagent_card_json: '${CARD}'\nauth: ${JSON.stringify(auth)}\n---\n`;

/** A session whose user consents in a browser at once. */
async function open(homeFiles: Record<string, string>) {
  const fixture = await openPromptFixture({ homeFiles });
  const commands = await openCommands(fixture.agent.sources);
  const consenting: CommandServices = {
    signInPorts: (signal) => ({ signal, visit: ({ url }) => void fetch(url) }),
  };
  return Object.assign(fixture, {
    commands,
    type: (text: string, services = consenting) =>
      readPrompt(text, { ...fixture.context, commands, services, hasScreen: true, isAttended: true }),
  });
}

it('signs in to a remote agent in the browser, and keeps the token where only the user reads it', async () => {
  await using issuer = await mcpServer({ tools: [], oauth: { clients: [{ id: 'known' }] } });
  const { origin } = new URL(issuer.url);
  const addresses = { authorization_url: `${origin}/authorize`, token_url: `${origin}/token` };
  const auth = { type: 'oauth', client_id: 'known', ...addresses };
  await using session = await open({ '.gemini/agents/weather.md': remote('weather', auth) });
  expect(await session.commands.find('/agents auth')?.command.names?.(session)).toEqual(['weather']);
  expect(await session.type('/agents auth weather')).toMatchObject({ text: "Signed in to the agent 'weather'." });
  expect(statSync(join(session.home, '.gemini/a2a-oauth-tokens.json')).mode & 0o777).toBe(0o600);
});

it.each<[string, string, CommandServices | undefined]>([
  ['/agents auth', 'Usage: /agents auth <agent-name>', undefined],
  ['/agents auth none', "Agent 'none' not found.", undefined],
  ['/agents auth generalist', "Agent 'generalist' works on this machine and needs no sign-in.", undefined],
  ['/agents auth weather', 'Signing in needs a terminal', {}],
  ['/agents auth weather', "Failed to sign in to the agent 'weather': ", undefined],
])('%s says: %s', async (text, sentence, services) => {
  const auth = { type: 'apiKey', key: 'x' };
  await using session = await open({ '.gemini/agents/weather.md': remote('weather', auth) });
  expect(await session.type(text, services)).toMatchObject({ message: expect.stringContaining(sentence) });
  expect(existsSync(join(session.home, '.gemini/a2a-oauth-tokens.json'))).toBe(false);
});
