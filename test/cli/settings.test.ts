/** Settings seen from outside: what each of them changes in the requests of the built program, or in what it does. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, fault, runCli, say } from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

interface Run {
  settings: object;
  script?: Script;
  args?: string[];
  env?: Record<string, string>;
  files?: Record<string, string>;
}

interface Sent {
  contents: { parts: { text?: string; functionResponse?: { response: { output?: string } } }[] }[];
  tools?: { functionDeclarations: { name: string; description: string; parameters?: object }[] }[];
  generationConfig?: Record<string, unknown>;
}

async function run({ settings, script = [say('ok')], args = [], env = {}, files = {} }: Run) {
  const homeFiles = { '.gemini/settings.json': JSON.stringify(settings) };
  await using workspace = await createWorkspace({ files, homeFiles });
  await using model = await fakeModel(script, { repeatLast: true });
  const { code, stderr } = await runCli(['-p', 'go', ...args], { workspace, model, env });
  return { code, stderr, models: model.requests.map((request) => request.model), ...describeSent(model) };
}

function describeSent({ requests }: FakeModel) {
  const bodies = requests.map(({ body }) => body as unknown as Sent);
  const [first, second] = bodies;
  const declared = first?.tools?.flatMap(({ functionDeclarations }) => functionDeclarations) ?? [];
  const responses = second?.contents.at(-1)?.parts ?? [];
  return {
    bodies,
    declared,
    names: declared.map(({ name }) => name),
    first: first?.contents[0]?.parts[0]?.text ?? '',
    /** What the model was told of the calls of its first answer. */
    told: responses.flatMap(({ functionResponse }) => functionResponse?.response.output ?? []),
    lastText: JSON.stringify(bodies.at(-1)?.contents ?? []),
  };
}

const shell = (command: string, more: object = {}) =>
  answer(call('run_shell_command', { command, ...more }, { id: 'c' }));

function outputOf(told = ''): string {
  return /Output: ([^]*?)\n(?:Exit Code|Process Group)/.exec(told)?.[1] ?? told;
}

async function printed(settings: object, command: string): Promise<string> {
  const { told } = await run({ settings, args: ['--yolo'], script: [shell(command), say('done')] });
  return outputOf(told[0]);
}

/** Variables that a command may see or not: a secret, one that is allowed, a harmless one that is blocked, and a doubtful one. */
const VARIABLES = { MY_TOKEN: 'abc', LET_TOKEN: 'abc', PLAIN: 'abc', DEPLOY_KEY: 'k' };
const SHOWN = ['PAGER', 'GIT_PAGER', ...Object.keys(VARIABLES)];

/** One run for everything that its settings change: what is offered and told, what a command sees, and how much of it is kept. */
function shareRun(settings: object, env: Record<string, string> = {}) {
  let running: ReturnType<typeof start> | undefined;
  const start = async () => {
    const commands = [`printf '%s\n' ${SHOWN.map((name) => `"\${${name}-gone}"`).join(' ')}`, 'seq 1 20000'];
    const calls = commands.map((command, at) => call('run_shell_command', { command }, { id: `c${at}` }));
    const files = { 'src/deep/hidden-treasure.ts': '', '.gitignore': 'secret\n', secret: '' };
    const sent = await run({
      ...{ settings, files, env: { ...VARIABLES, ...env } },
      args: ['--yolo', '-m', 'gemini-2.5-flash'],
      script: [answer(...calls), say('done')],
    });
    const values = outputOf(sent.told[0]).split('\n');
    const find = (wanted: string) => sent.declared.find(({ name }) => name === wanted);
    return { ...sent, find, seen: Object.fromEntries(SHOWN.map((name, at) => [name, values[at]])) };
  };
  return () => (running ??= start());
}

const byDefault = shareRun({ useWriteTodos: true, context: { includeDirectoryTree: true } });
const changed = shareRun({
  useWriteTodos: false,
  general: { plan: { enabled: false } },
  tools: {
    exclude: ['google_web_search'],
    shell: { pager: 'less -R', enableShellOutputEfficiency: false },
    truncateToolOutputThreshold: 0,
  },
  context: { includeDirectoryTree: false },
  experimental: { directWebFetch: true },
  security: { environmentVariableRedaction: { enabled: true, allowed: ['LET_TOKEN'], blocked: ['PLAIN'] } },
});
const atGitHub = shareRun(
  {
    tools: { truncateToolOutputThreshold: -1 },
    security: { environmentVariableRedaction: { allowed: ['LET_TOKEN'], blocked: ['PLAIN'] } },
  },
  { GITHUB_ACTIONS: 'true' },
);

describe('settings of tools', () => {
  variants.each([
    ['write_todos', byDefault, true],
    ['write_todos', changed, false],
    ['enter_plan_mode', byDefault, true],
    ['enter_plan_mode', changed, false],
    ['google_web_search', byDefault, true],
    ['google_web_search', changed, false],
  ])('decide that %s is offered', async (name, shared, isOffered) => {
    expect((await shared()).names.includes(name)).toBe(isOffered);
  });

  it('offer no more than tools.core names', async () => {
    const { names } = await run({ settings: { tools: { core: ['read_file'] } } });
    expect(names).toContain('read_file');
    expect(names).not.toContain('google_web_search');
  });

  variants.each([
    ['short', byDefault, true],
    ['any', changed, false],
  ])('ask for %s output', async (_what, shared, isShort) => {
    expect((await shared()).find('run_shell_command')?.description.includes('keep output short')).toBe(isShort);
  });

  variants.each([
    ['with a model', byDefault, false],
    ['without one', changed, true],
  ])('fetch pages %s', async (_what, shared, isDirect) => {
    expect(JSON.stringify((await shared()).find('web_fetch')).includes('"url"')).toBe(isDirect);
  });

  variants.each([
    ['cat', byDefault],
    ['less -R', changed],
  ])('give commands the pager %s', async (pager, shared) => {
    expect((await shared()).seen).toMatchObject({ PAGER: pager, GIT_PAGER: pager });
  });

  variants.each([
    ['by default', byDefault, { MY_TOKEN: 'gone', LET_TOKEN: 'gone', PLAIN: 'abc', DEPLOY_KEY: 'k' }],
    ['as they say', changed, { MY_TOKEN: 'gone', LET_TOKEN: 'abc', PLAIN: 'gone', DEPLOY_KEY: 'gone' }],
    ['always at GitHub', atGitHub, { MY_TOKEN: 'gone', LET_TOKEN: 'abc', PLAIN: 'gone', DEPLOY_KEY: 'gone' }],
  ])('keep secrets from commands %s', async (_what, shared, seen) => {
    expect((await shared()).seen).toMatchObject(seen);
  });

  variants.each([
    ['by default', byDefault, true],
    ['never at 0', changed, false],
    ['never below 0', atGitHub, false],
  ])('cut output %s', async (_when, shared, isCut) => {
    expect((await shared()).told[1]?.includes('Output too large')).toBe(isCut);
  });

  it('cut output earlier', { tags: 'wide' }, async () => {
    const settings = { tools: { truncateToolOutputThreshold: 1000 } };
    const { told } = await run({ settings, args: ['--yolo'], script: [shell('seq 1 4000'), say('done')] });
    expect(told[0]).toContain('Output too large');
  });

  it('end a command that is silent for too long', { tags: 'wide' }, async () => {
    const settings = { tools: { shell: { inactivityTimeout: 1 } } };
    expect(await printed(settings, 'tail -f /dev/null')).toContain('exceeded the timeout of 1 second');
  });

  it('stop a command that prints without end, and tell the model how much it printed', { tags: 'wide' }, async () => {
    const settings = { tools: { shell: { maxOutputBytes: 100_000 } } };
    expect(await printed(settings, 'yes')).toMatch(
      /Command was stopped because it printed [\d.]+ (bytes|MB), more than the limit of 100000 bytes/,
    );
  });

  it('stop one in the background as well, and tell the model with its next request', { tags: 'wide' }, async () => {
    const settings = { tools: { shell: { maxOutputBytes: 100_000 } } };
    const script = [shell('timeout 60 yes', { is_background: true, delay_ms: 60_000 }), say('done')];
    const { lastText } = await run({ settings, args: ['--yolo'], script });
    expect(lastText).toMatch(/The background command \\"timeout 60 yes\\" \(PID \d+\) was stopped: it printed/);
  });

  it(
    'tell no one, the user, or the model as well, when a command in the background ended',
    { tags: 'wide' },
    async () => {
      const script = [shell('exit 3', { is_background: true }), say('done')];
      const outcomes = await Promise.all(
        ['silent', 'notify', 'inject'].map((backgroundCompletionBehavior) =>
          run({ settings: { tools: { shell: { backgroundCompletionBehavior } } }, args: ['--yolo'], script }),
        ),
      );
      const sentence = /The background command "exit 3" \(PID \d+\) ended with exit code 3/;
      expect(
        outcomes.map(({ stderr, lastText }) => [sentence.test(stderr), lastText.includes('<system_note>The back')]),
      ).toEqual([
        [false, false],
        [true, false],
        [true, true],
      ]);
    },
  );

  it('search with the engine that was asked for', { tags: 'wide' }, async () => {
    // Only ripgrep knows classes by these names.
    const script = [answer(call('grep_search', { pattern: '[[:alpha:]]{3}' }, { id: 'c' })), say('done')];
    const files = { 'a.txt': 'one\n' };
    const found = await Promise.all(
      [true, false].map(async (useRipgrep) => {
        const { told } = await run({ settings: { tools: { useRipgrep } }, script, files });
        return told[0]?.includes('File: a.txt');
      }),
    );
    expect(found).toEqual([true, false]);
  });
});

describe('settings of requests', () => {
  variants.each([
    ['maxAttempts', { general: { maxAttempts: 1 } }, fault(503)],
    ['retryFetchErrors', { general: { retryFetchErrors: false } }, fault('reset_before_headers')],
  ])('give up when %s says so', async (_key, settings, step) => {
    const { code, models } = await run({ settings, script: [step, say('late')], args: ['-m', 'gemini-2.5-flash'] });
    expect([code, models.length]).toEqual([1, 1]);
  });

  const mine = {
    customAliases: {
      mine: {
        extends: 'chat-base',
        modelConfig: { model: 'gemini-2.5-flash', generateContentConfig: { temperature: 0.125 } },
      },
    },
  };
  variants.each([
    ['an alias of one’s own', { model: { name: 'mine' }, modelConfigs: mine }, 'gemini-2.5-flash', 0.125],
    [
      'a built-in preset that was replaced',
      {
        model: { name: 'gemini-2.5-pro' },
        modelConfigs: {
          aliases: {
            'chat-base-2.5': { extends: 'chat-base', modelConfig: { generateContentConfig: { temperature: 0.25 } } },
          },
        },
      },
      'gemini-2.5-pro',
      0.25,
    ],
    [
      'an override',
      {
        model: { name: 'gemini-2.5-pro' },
        modelConfigs: {
          overrides: [
            { match: { model: 'gemini-2.5-pro' }, modelConfig: { generateContentConfig: { temperature: 0.5 } } },
          ],
        },
      },
      'gemini-2.5-pro',
      0.5,
    ],
    [
      'an override of one’s own after the others',
      {
        model: { name: 'gemini-2.5-pro' },
        modelConfigs: {
          overrides: [{ match: {}, modelConfig: { generateContentConfig: { temperature: 0.5 } } }],
          customOverrides: [{ match: {}, modelConfig: { generateContentConfig: { temperature: 0.75 } } }],
        },
      },
      'gemini-2.5-pro',
      0.75,
    ],
  ])('make them with %s', async (_what, settings, model, temperature) => {
    const { code, models, bodies } = await run({ settings });
    expect([code, models, bodies[0]?.generationConfig?.['temperature']]).toEqual([0, [model], temperature]);
  });

  variants.each([
    [{ customAliases: { mine: { extends: 'nobody' } } }, 'the alias "mine" extends "nobody", which does not exist'],
    [{ customOverrides: [{ match: { model: 5 } }] }, 'modelConfigs.customOverrides[0].match.model must be a string'],
  ])('are refused before anything is sent when they cannot be meant: %j', async (modelConfigs, sentence) => {
    const { code, models, stderr } = await run({ settings: { modelConfigs } });
    expect([code, models, stderr.includes(sentence)]).toEqual([52, [], true]);
  });

  it('mask old output as early as they say', { tags: 'wide' }, async () => {
    const long = (id: string) => answer(call('run_shell_command', { command: `seq 1 3000; echo ${id}` }, { id }));
    const script = [long('a'), long('b'), long('c'), say('done')];
    const outputMasking = { protectionThresholdTokens: 2000, minPrunableThresholdTokens: 500 };
    const masked = await Promise.all(
      [{}, outputMasking].map(async (fields) => {
        const settings = { contextManagement: { tools: { outputMasking: fields } } };
        const { lastText } = await run({ settings, script, args: ['--yolo'] });
        return lastText.includes('<tool_output_masked>');
      }),
    );
    expect(masked).toEqual([false, true]);
  });

  variants.each([
    [true, byDefault],
    [false, changed],
  ])('tell the model the tree of the folder: %j', async (isTold, shared) => {
    const { first } = await shared();
    expect([first.includes('hidden-treasure.ts'), first.includes('secret')]).toEqual([isTold, false]);
  });

  it('leave authorisation to another service', { tags: 'wide' }, async () => {
    const auth = { selectedType: 'oauth-personal', enforcedType: 'oauth-personal' };
    const own = await run({ settings: { security: { auth } } });
    const external = await run({ settings: { security: { auth: { ...auth, useExternal: true } } } });
    expect([own.code, own.models.length, external.code, external.models.length]).toEqual([41, 0, 0, 1]);
  });
});

describe('settings of safety and plans', () => {
  it('that ask for what there is not end the program', async () => {
    const { code, models, stderr } = await run({ settings: { security: { enableConseca: true } } });
    expect([code, models, stderr.includes('security.enableConseca')]).toEqual([52, [], true]);
  });

  variants.each([
    ['notes/plans', 'notes/plans/a.md', ''],
    ['../elsewhere', '../elsewhere/a.md', 'general.plan.directory must be a folder inside'],
  ])('keep plans in %s, if that is inside the folder', async (directory, path, sentence) => {
    const script = [answer(call('write_file', { file_path: path, content: '# Plan' }, { id: 'c' })), say('done')];
    const settings = { general: { plan: { directory } } };
    const homeFiles = { '.gemini/settings.json': JSON.stringify(settings) };
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel(script);
    const { stderr } = await runCli(['-p', 'go', '--approval-mode', 'plan'], { workspace, model });
    expect([existsSync(join(workspace.project, path)), stderr.includes(sentence)]).toEqual([sentence === '', true]);
  });
});
