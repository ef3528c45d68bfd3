/** Names and notes of others, wherever they are shown, cannot speak to the terminal: each is read by a person somewhere. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answer, call, createWorkspace, fakeModel, fault, say, startTerminal } from '@castor/testkit';
import type { Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { escapesOf } from './escapes-of.ts';
import { READY, openTerminal } from './open-terminal.ts';
import type { OpenTerminalOptions } from './open-terminal.ts';
import { variants } from '../house/variants.ts';

const EVIL = 'a\x1b]0;pwned\x07\x1b[31mb\u009b2J\u202ec\u202c\u200b\x1bP+q\x1b\\\x07';
const ASKED = [
  {
    question: `Q ${EVIL}`,
    header: 'H\x1b[31m',
    type: 'choice',
    options: [EVIL, 'b'].map((label) => ({ label, description: EVIL })),
  },
];

interface Place {
  readonly open: OpenTerminalOptions;
  readonly look: (terminal: Terminal) => Promise<void>;
}

const ask = (until: string | RegExp) => async (terminal: Terminal) => {
  terminal.type('go\r');
  await terminal.waitForText(until);
};

const run = (command: string, until: string | RegExp) => async (terminal: Terminal) => {
  terminal.type(command);
  await terminal.waitForText(command);
  terminal.type('\r');
  await terminal.waitForText(until);
};

const sessionLines = [
  { sessionId: 'aaaaaaaa', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', summary: `Title ${EVIL}` },
  { id: '1', timestamp: '2026-01-01T00:00:00.000Z', type: 'user', content: [{ text: `Words ${EVIL}` }] },
  { id: '2', timestamp: '2026-01-01T00:00:01.000Z', type: 'gemini', content: `Answer ${EVIL}` },
];

const hook = (output: object) => {
  const command = `cat <<'END'\n${JSON.stringify(output)}\nEND`;
  return { matcher: '*', hooks: [{ type: 'command', command, name: `hook ${EVIL}` }] };
};

const DENY = String.raw`[[rule]]
toolName = "run_shell_command"
commandPrefix = "ls"
decision = "deny"
priority = 100
denyMessage = "no \u001b]0;pwned\u0007\u001b[31m\u009b2J\u202e\u200b"
`;

const PLACES: Readonly<Record<string, Place>> = {
  'the lines of a diff': {
    open: {
      files: { 'n.txt': `one ${EVIL}\ntwo\n` },
      script: [
        answer(call('replace', { file_path: 'n.txt', old_string: 'two', new_string: EVIL, instruction: EVIL })),
        say('Over.'),
      ],
    },
    async look(terminal) {
      await ask('say what to do instead')(terminal);
      terminal.type('1');
      await terminal.waitForText('Over.');
    },
  },
  'the title and the words of a session': {
    open: {
      homeFiles: {
        '.gemini/tmp/project/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl': sessionLines
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      },
    },
    async look(terminal) {
      await run('/resume', /❯ \d+ \w+ +Title/)(terminal);
      terminal.type('\r');
      await terminal.waitForText('Answer');
    },
  },
  'a theme': {
    open: { settings: { ui: { customThemes: { [`T ${EVIL}`]: { name: `T ${EVIL}`, type: 'custom' } } } } },
    async look(terminal) {
      await run('/theme', '❯ Default')(terminal);
      for (let count = 0; count < 4; count++) terminal.type('\x1b[A');
      await terminal.waitForText(/(\d+) of \1 ──/);
    },
  },
  'a file offered after @': {
    open: { files: { 'ev\x1b]0;pwned\x07\u202e\u200bil.txt': '', 'good.txt': '' } },
    async look(terminal) {
      terminal.type('@');
      await terminal.waitForText('good.txt');
      terminal.type('\t');
      await terminal.waitForText('❯ @ev');
      terminal.type('\r');
      await terminal.waitForText(/^ok$/m);
    },
  },
  'a model and an error': {
    open: { args: ['-m', `m ${EVIL}`], script: [fault(404, { message: `no ${EVIL}` }), say('ok')] },
    async look(terminal) {
      await ask(/^ {2}no/m)(terminal);
      await run('/model', /^── Model ─/m)(terminal);
    },
  },
  'hooks and their messages': {
    open: {
      settings: { hooks: { BeforeTool: [hook({ decision: 'deny', reason: EVIL, systemMessage: EVIL })] } },
      script: [answer(call('list_directory', { dir_path: '.' })), say('Over.')],
    },
    async look(terminal) {
      await ask('Over.')(terminal);
      await run('/hooks', 'BeforeTool')(terminal);
    },
  },
  'a reason of a policy': {
    open: {
      rows: 60,
      homeFiles: {
        '.gemini/policies/a.toml': DENY,
      },
      script: [answer(call('run_shell_command', { command: 'ls' })), say('Over.')],
    },
    async look(terminal) {
      await ask('Over.')(terminal);
      await run('/policies', /^ +1\. deny/m)(terminal);
    },
  },
  'things to do': {
    open: {
      args: ['-m', 'gemini-2.5-pro'],
      script: [
        answer(call('write_todos', { todos: [{ description: `Do ${EVIL}`, status: 'in_progress' }] })),
        say('Over.'),
      ],
    },
    async look(terminal) {
      terminal.type('\x14');
      await ask('Over.')(terminal);
    },
  },
  'questions and their answers': {
    open: { script: [answer(call('ask_user', { questions: ASKED })), say('Over.')] },
    async look(terminal) {
      await ask('3  Something else')(terminal);
      terminal.type('1');
      await terminal.waitForText('Over.');
    },
  },
  'a plan': {
    open: {
      homeFiles: { '.gemini/tmp/project/plans/plan.md': `# Plan ${EVIL}\n` },
      args: ['--approval-mode', 'plan'],
      script: [answer(call('exit_plan_mode', { plan_filename: 'plan.md' })), say('Over.')],
    },
    look: ask('Carry out this plan?'),
  },
  'a command of the person’s own': {
    open: {
      homeFiles: { '.gemini/commands/evil.toml': 'description = "d \\u001b]0;pwned\\u0007\\u202e"\nprompt = "x"\n' },
    },
    async look(terminal) {
      terminal.type('/evi');
      await terminal.waitForText('❯ /evil');
      terminal.type('\x15');
      await terminal.waitForText(READY);
      await run('/commands', '/evil')(terminal);
    },
  },
};

describe('a hostile text', () => {
  variants.each(Object.entries(PLACES))('says nothing to the terminal as %s', async (_name, { open, look }) => {
    await using opened = await openTerminal(open);
    const { terminal } = opened;
    await look(terminal);
    expect([escapesOf(terminal), terminal.title()]).toEqual([[], expect.not.stringContaining('pwned')]);
  });

  it('says nothing to the terminal as a folder and its branch', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('ok')]);
    const cwd = join(workspace.root, 'f-\x1b]0;pwned\x07\u202e\u009b\u200bx');
    await mkdir(cwd);
    await promisify(execFile)('git', ['init', '-q', '-b', 'br\u202e\u200banch'], { cwd });
    await writeFile(join(cwd, 'a.txt'), '');
    await using terminal = await startTerminal([], { model, workspace, cwd });
    await terminal.waitForText(READY);
    await ask(/^ok$/m)(terminal);
    await run('/about', /Folder .*f-/)(terminal);
    await run('/permissions', '4  Never trust')(terminal);
    expect([escapesOf(terminal), terminal.title()]).toEqual([[], '◇  Ready (f-x)']);
  });
});
