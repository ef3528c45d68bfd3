import { createWorkspace, fakeModel, fault, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const KEY = 'a-key-of-no-known-form';

describe('castor while it is debugged', () => {
  variants.each<[string, string[], Record<string, string>]>([
    ['--debug', ['--debug'], {}],
    ['DEBUG=1', [], { DEBUG: '1' }],
  ])(
    'tells of a failed turn with %s: request, attempts, status, body, and no credential',
    async (_name, flags, env) => {
      await using model = await fakeModel([
        fault(429, { retryDelay: '0.01s' }),
        fault(400, { message: `The key ${KEY} may not do that.` }),
      ]);
      const { stderr, code } = await runCli([...flags, '-p', 'my question'], {
        model,
        env: { ...env, GEMINI_API_KEY: KEY },
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/castor: debug: request of \S+ to \S+: .*my question/);
      expect(stderr).toMatch(/castor: debug: status 429, body: /);
      expect(stderr).toMatch(/castor: debug: status 400, body: /);
      expect(stderr).toMatch(/castor: debug: The turn failed after 2 attempts, status 400: .*request to .*my question/);
      const debugged = stderr.split('\n').filter((line) => line.includes('debug: '));
      expect(debugged.join('\n')).not.toContain(KEY);
    },
  );

  it('says nothing of the kind otherwise', async () => {
    await using model = await fakeModel([fault(400)]);
    const { stderr } = await runCli(['-p', 'my question'], { model });
    expect(stderr).not.toContain('debug');
  });
});

describe('model.maxSessionTurns of 0 without a screen', () => {
  it('allows no turn, as in Gemini CLI', async () => {
    await using model = await fakeModel([say('never asked')]);
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': JSON.stringify({ model: { maxSessionTurns: 0 } }) },
    });
    const { stderr, code } = await runCli(['-p', 'hi'], { model, workspace });
    expect([code, model.requests.length]).toEqual([53, 0]);
    expect(stderr).toContain('model.maxSessionTurns is 0');
  });
});
