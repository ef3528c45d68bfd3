/** A server with a sign-in in runs of the built program: left out and named, signed in to, used, signed out of. */

import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, mcpServer, runCli, say } from '@castor/testkit';
import { expect, it } from 'vitest';

const BROWSER = `#!${process.execPath}\nfetch(process.argv[2]).then((response) => response.text());\n`;

it('without a token the run goes on and names the command; with it the tool is there', async () => {
  await using server = await mcpServer({ tools: [{ name: 'echo' }], oauth: {} });
  await using workspace = await createWorkspace({
    homeFiles: {
      '.gemini/settings.json': JSON.stringify({ mcpServers: { one: { url: server.url } } }),
      browser: BROWSER,
    },
  });
  const browser = join(workspace.home, 'browser');
  await chmod(browser, 0o755);
  const env = { BROWSER: browser, GEMINI_FORCE_FILE_STORAGE: 'true' };
  await using model = await fakeModel([say('first'), say('second')]);
  const declared = (index: number) => JSON.stringify(model.requests[index]!.body).includes('mcp_one_echo');

  const before = await runCli(['-p', 'hi'], { workspace, model, env });
  expect(before).toMatchObject({ code: 0, stdout: 'first\n' });
  expect(before.stderr).toContain(
    'The MCP server one is not available: It requires a sign-in (401). To sign in: castor mcp login one',
  );
  expect(declared(0)).toBe(false);

  const login = await runCli(['--debug', 'mcp', 'login', 'one'], { workspace, env });
  expect(login).toMatchObject({ code: 0, stdout: '✓ one: signed in, in a file.\n' });

  const after = await runCli(['-p', 'hi', '--debug', '--allowed-tools', 'mcp_one_echo'], { workspace, model, env });
  expect(after).toMatchObject({ code: 0, stdout: 'second\n' });
  expect(declared(1)).toBe(true);
  const secrets = [...server.oauth.accessTokens, ...server.oauth.refreshTokens];
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) expect(login.stderr + after.stderr).not.toContain(secret);
  server.record.assertLegal();

  expect(await runCli(['mcp', 'logout', 'one'], { workspace, env })).toMatchObject({ code: 0 });
  expect(await runCli(['mcp', 'test', 'one', '-o', 'json'], { workspace, env })).toMatchObject({ code: 41 });
});
