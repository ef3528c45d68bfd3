/** Cancelling in every state: what arrived stays, the prompt comes back, and the next words are answered. */

import { answer, call, fault, gate, say, text, thought } from '@castor/testkit';
import type { Answer } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';
import { variants } from '../house/variants.ts';

const ESC = '\x1b';
/** A dialog takes Esc as its own answer; Ctrl+C cancels the request from anywhere. */
const CTRL_C = '\x03';
const CANCELLED = '· Request cancelled.';

type Gate = ReturnType<typeof gate>;

interface State {
  readonly prompt?: string;
  readonly key?: string;
  /** The answer that is cancelled; `held` never lets it end. */
  readonly answer: (held: Gate) => Answer;
  /** What must be on the screen before the key is pressed. */
  readonly shown: string | RegExp;
  /** A key that is pressed first, and what it brings. */
  readonly first?: readonly [key: string, brings: string];
  /** Lines that stay, after those the person typed. */
  readonly stays: readonly (string | RegExp)[];
  /** Chosen with keys before the prompt. */
  readonly mode?: 'YOLO' | 'plan';
}

const EDIT = call('replace', { file_path: 'notes.txt', old_string: 'two', new_string: 'TWO', instruction: 'shout' });
const shell = (command: string) => call('run_shell_command', { command });
/** The keys that lead to a mode, and the modes they lead through. */
const MODE_KEYS = {
  YOLO: [['\x19', 'YOLO']],
  plan: [
    ['\x1b[Z', 'accepting edits'],
    ['\x1b[Z', 'plan'],
  ],
} as const;

const inTerminal = sharedTerminal({
  files: { 'notes.txt': 'one\ntwo\n' },
  homeFiles: { '.gemini/tmp/project/plans/plan.md': '# The plan\n' },
});

const STATES: Readonly<Record<string, State>> = {
  'before the first word': {
    answer: (held) => answer(held, text('late')),
    shown: 'esc stops',
    stays: [CANCELLED],
  },
  'while it thinks': {
    answer: (held) => answer(thought('**Counting sheep** all'), held, text('late')),
    shown: 'Counting sheep',
    stays: [CANCELLED],
  },
  'in the middle of an answer': {
    answer: (held) => answer(text('One line.\n\nFirst half'), held, text('late')),
    shown: 'First half',
    stays: ['One line.', 'First half', `${CANCELLED} Kept: 2 lines.`],
  },
  'while a command runs': {
    answer: () => answer(shell('echo begun; sleep 300')),
    shown: /^ +(?:└ )?begun$/m,
    stays: [/^- Shell echo begun; sleep 300 stopped/, '  └ begun', CANCELLED],
    mode: 'YOLO',
  },
  'while one of two commands runs': {
    answer: () => answer(shell('echo over'), shell('echo begun; sleep 300')),
    shown: /✓ Shell echo over[\s\S]*^ +(?:└ )?begun$/m,
    stays: ['✓ Shell echo over', '  └ over', /^- Shell echo begun; sleep 300 stopped/, '  └ begun', CANCELLED],
    mode: 'YOLO',
  },
  'while it waits for another attempt': {
    answer: () => fault(503),
    shown: /Trying again in \d+ s/,
    stays: [CANCELLED],
  },
  'while it asks for an approval': {
    key: CTRL_C,
    answer: () => answer(EDIT),
    shown: 'No, and say what to do instead',
    stays: ['- Edit notes.txt stopped', CANCELLED],
  },
  'while it asks what should be done instead': {
    key: CTRL_C,
    answer: () => answer(EDIT),
    shown: 'No, and say what to do instead',
    first: ['4', 'enter refuses it'],
    stays: ['- Edit notes.txt stopped', CANCELLED],
  },
  'while it asks a question of its own': {
    key: CTRL_C,
    answer: () => answer(call('ask_user', { questions: [{ question: 'Sure?', header: 'Sure', type: 'yesno' }] })),
    shown: '2  No',
    stays: ['- Ask Sure? stopped', CANCELLED],
  },
  'while a plan waits': {
    key: CTRL_C,
    answer: () => answer(call('exit_plan_mode', { plan_filename: 'plan.md' })),
    shown: '3  No, and say what should change',
    stays: ['The plan', /^- Plan plan.md stopped/, CANCELLED],
    mode: 'plan',
  },
  'while a command of the person runs': {
    prompt: '!echo begun; sleep 300',
    answer: () => say('never asked for'),
    shown: /^ +(?:└ )?begun$/m,
    stays: ['  └ begun', '    [The command was cancelled]'],
  },
  'while a command’s dialog is open': {
    prompt: '/theme',
    key: CTRL_C,
    answer: () => say('never asked for'),
    shown: '❯ Default',
    stays: ['  └ unchanged'],
  },
};

/** Such commands ask no model. */
const isAsked = ({ prompt = 'Go' }: State) => !/^[!/]/.test(prompt);

describe('cancelling', () => {
  variants.each(Object.entries(STATES))('%s keeps what arrived and gives the prompt back', async (_name, state) => {
    const held = gate();
    const { prompt = 'Go', key = ESC, shown, first, stays } = state;
    const script = [...(isAsked(state) ? [state.answer(held)] : []), say('Still here.')];
    await inTerminal(script, async ({ terminal, model, written }) => {
      for (const [modeKey, mode] of state.mode ? MODE_KEYS[state.mode] : []) {
        terminal.type(modeKey);
        await terminal.waitForText(`── ${mode} ─`);
      }
      terminal.type(`${prompt}\r`);
      await terminal.waitForText(shown);
      // Before that nothing has been asked of the model, and the script would answer the next prompt.
      if (isAsked(state)) await model.waitForRequest(1);
      if (first) {
        terminal.type(first[0]);
        await terminal.waitForText(first[1]);
      }
      terminal.type(key);
      await terminal.waitUntil((seen) => seen.title().includes('Ready') && seen.screen().join('\n').includes(READY));
      held.release();
      terminal.type('Again\r');
      await terminal.waitForText('Still here.');
      const lines = written();
      const from = lines.findLastIndex((line) => /^[❯!] (?:Go|echo|\/theme)/.test(line));
      const left = lines.slice(from + 1, lines.lastIndexOf('❯ Again')).filter((line) => line !== '');
      expect(left).toEqual(stays.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))));
    });
  });

  it('tells the model what it had said, so that it can go on', { tags: 'wide' }, async () => {
    await inTerminal([answer(text('One, two, '), gate()), say('three.')], async ({ terminal, model }) => {
      terminal.type('Count\r');
      await terminal.waitForText('One, two,');
      terminal.type(ESC);
      await terminal.waitForText(CANCELLED);
      await terminal.waitUntil((seen) => seen.title().includes('Ready'));
      terminal.type('Go on\r');
      await terminal.waitForText('three.');
      const { contents } = model.requests[1]?.body as { contents: { role: string; parts: { text: string }[] }[] };
      expect(contents.slice(-2).map(({ role, parts }) => [role, parts[0]?.text])).toEqual([
        ['model', 'One, two, '],
        ['user', 'Go on'],
      ]);
      expect(model.violations).toEqual([]);
    });
  });

  it('twice at an empty prompt says so and leaves, and once never does', async () => {
    await using opened = await openTerminal();
    const { terminal } = opened;
    terminal.type(CTRL_C);
    await terminal.waitForText('Press Ctrl+C again to exit.');
    terminal.type('x');
    await terminal.waitForText('❯ x');
    terminal.type(CTRL_C);
    await terminal.waitForText(READY);
    terminal.type(CTRL_C);
    terminal.type(CTRL_C);
    expect(await terminal.done).toEqual({ code: 0, signal: undefined });
  });
});
