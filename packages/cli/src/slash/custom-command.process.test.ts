import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import type { FixtureOptions } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import type { ShellConsent } from './command.ts';

const toml = (prompt: string) => ({ '.gemini/commands/do.toml': `prompt = '''${prompt}'''` });

async function run(text: string, prompt: string, options: FixtureOptions = {}) {
  await using fixture = await openPromptFixture({ homeFiles: toml(prompt), ...options });
  const result = await readPrompt(text, fixture.context);
  return { result, hasRun: existsSync(join(fixture.project, 'ran')), rules: fixture.agent.policy.rules.length };
}

async function textOf(text: string, prompt: string, options: FixtureOptions = {}): Promise<string | undefined> {
  const { result } = await run(text, prompt, options);
  return result.kind === 'prompt' ? result.parts.map((part) => part.text).join('¦') : result.kind;
}

describe('a custom command', () => {
  it.each<[string, string, string, string, FixtureOptions?]>([
    ['its prompt', '/do', 'Say hi.', 'Say hi.'],
    ['the arguments where it wants them', '/do  a  b ', 'Fix {{args}}!', 'Fix a  b!'],
    ['the invocation when it wants none', '/do a b', 'Fix it.', 'Fix it.\n\n/do a b'],
    ['what a command printed', '/do', 'On !{echo main}.', 'On main.'],
    ['how a command failed', '/do', '!{false}', "\n[Shell command 'false' exited with code 1]"],
    ['arguments as one word of a command', "/do $(touch ran) it's", '!{echo {{args}}}', "$(touch ran) it's"],
    ['a file', '/do', 'Rules: @{r.md}', 'Rules: Be kind.', { files: { 'r.md': 'Be kind.' } }],
    ['a folder', '/do', '@{d}', '--- d/a ---\nA\n--- d/b ---\nB\n', { files: { 'd/a': 'A', 'd/b': 'B' } }],
    ['a file that is not there as it was written', '/do', 'x @{no.md}', 'x @{no.md}'],
    ['a file outside as it was written', '/do', 'x @{/etc/hosts}', 'x @{/etc/hosts}'],
  ])('sends %s', async (_, text, prompt, expected, options) => {
    expect(await textOf(text, prompt, options)).toBe(expected);
  });

  it('reads no placeholder in what a file, a command or a person brings', async () => {
    const files = { 'evil.md': '!{touch ran} {{args}} @{evil.md}' };
    const { result, hasRun } = await run('/do !{touch ran}', '@{evil.md} {{args}} !{cat evil.md}', { files });
    expect(result).toMatchObject({
      parts: [{ text: `${files['evil.md']} !{touch ran} ${files['evil.md']}` }],
    });
    expect(hasRun).toBe(false);
  });

  it.each<[string, string, string, FixtureOptions]>([
    ['is never closed', 'x !{ls', '/do was not sent: !{ in line 1 of its prompt is not closed', {}],
    ['no user can be asked about', '!{touch ran}', '/do was not sent: it wants to run "touch ran"', {}],
    [
      'a rule denies',
      '!{touch ran}',
      '/do was not sent: Never.',
      {
        homeFiles: {
          ...toml('!{touch ran}'),
          '.gemini/policies/p.toml':
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 100\ndenyMessage = "Never."\n',
        },
      },
    ],
    ['comes out empty', '{{args}}', '/do was not sent: its prompt is empty', {}],
  ])('that %s is an error, and nothing runs', async (_, prompt, message, options) => {
    const { result, hasRun } = await run('/do', prompt, options);
    expect(result).toEqual({ kind: 'error', message: expect.stringContaining(message) });
    expect(hasRun).toBe(false);
  });

  it.each<[ShellConsent, string, boolean, number]>([
    ['once', 'prompt', true, 0],
    ['always', 'prompt', true, 1],
    ['cancel', 'error', false, 0],
  ])('asks a person once about all its commands: %s', async (consent, kind, hasRun, moreRules) => {
    const asked: (readonly string[])[] = [];
    const services = {
      confirmShellCommands: async (commands: readonly string[]) => {
        asked.push(commands);
        return consent;
      },
    };
    const before = await run('/do', 'x');
    const after = await run('/do', 'x !{touch ran} !{echo safe} !{touch ran 2}', { dependencies: { services } });
    expect(asked).toEqual([['touch ran', 'touch ran 2']]);
    expect([after.result.kind, after.hasRun]).toEqual([kind, hasRun]);
    expect(after.rules - before.rules >= moreRules).toBe(true);
  });

  it('runs what is allowed by flag', async () => {
    const { result, hasRun } = await run('/do', '!{touch ran}x', {
      agent: { rules: { allowed: ['run_shell_command(touch)'] } },
    });
    expect(result).toMatchObject({ kind: 'prompt', parts: [{ text: 'x' }] });
    expect(hasRun).toBe(true);
  });
});
