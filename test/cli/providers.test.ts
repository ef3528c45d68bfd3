/** A model of any provider, named on the command line, in the environment or in the settings: what is sent where. */

import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import type { FakeModelOptions, ProtocolName } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const KEY = 'test-key-0123456789';

/** Runs one prompt with a scripted provider; `variables` receives its address. */
async function run(
  protocol: ProtocolName,
  args: readonly string[],
  variables: (url: string) => Record<string, string>,
  { settings, options = {} }: { settings?: (url: string) => unknown; options?: FakeModelOptions } = {},
) {
  await using model = await fakeModel([say('Hello from afar.')], { protocol, ...options });
  await using workspace = await createWorkspace({
    homeFiles: settings ? { '.gemini/settings.json': JSON.stringify(settings(model.url)) } : {},
  });
  const result = await runCli([...args, '-p', 'hi'], { workspace, env: variables(model.url) });
  return { ...result, requests: model.requests, violations: model.violations };
}

describe('--model provider/model', () => {
  it('needs no key of another provider', async () => {
    const { stdout, stderr, code, requests, violations } = await run(
      'anthropic',
      ['-m', 'anthropic/claude-x'],
      (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
    );
    expect({ stdout, stderr, code }).toEqual({ stdout: 'Hello from afar.\n', stderr: '', code: 0 });
    expect(violations).toEqual([]);
    expect(
      requests.map(({ path, headers, body }) => [path, headers['x-api-key'], (body as { model: string }).model]),
    ).toEqual([['/v1/messages', KEY, 'claude-x']]);
  });
});
