/**
 * The same words on every surface: the model is sent the same, and the same is recorded. The short form plays a scene on
 * two surfaces, the next scene on the next two.
 */

import { answer, fakeModel, gate, startCli, text } from '@castor/testkit';
import type { Workspace } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { SURFACES, TRUSTED, lastAnswer } from './drive.fixture.ts';
import type { Scene, Seen } from './drive.fixture.ts';

interface Expected {
  /** What the model reads last of each request: the texts of its last content, without the context of the session. */
  readonly sent: readonly (readonly unknown[])[];
  /** Surfaces that cannot play it. */
  readonly without?: readonly string[];
}

const FILES = { 'a.txt': 'AAA' };
const ATTACHED = [
  '\n--- Content from referenced files ---',
  '\nContent from @a.txt:\n',
  'AAA',
  '\n--- End of content ---',
];
const HOOK = `echo '{"hookSpecificOutput":{"additionalContext":"be brief"}}'`;
const SESSION_START = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: HOOK }] }] } };

const SCENES: Readonly<Record<string, Scene & Expected>> = {
  'plain words': { words: 'hello there', sent: [['hello there']] },
  'a file': { words: 'look at @a.txt', files: FILES, sent: [['look at @a.txt', ...ATTACHED]] },
  'a sentence that begins like a command': {
    words: '/help me with @a.txt',
    files: FILES,
    sent: [['/help me with @a.txt', ...ATTACHED]],
  },
  'an unknown command': { words: '/nonsense and more', sent: [['/nonsense and more']] },
  'a comment': { words: '//comment', sent: [['//comment']] },
  'a command over several lines': { words: '!echo a\necho b', sent: [['!echo a\necho b']] },
  'a command of the user’s own': {
    words: '/greet Ada and Bob',
    homeFiles: { '.gemini/commands/greet.toml': 'prompt = "Greet {{args}} in !{echo hi} style."' },
    sent: [['Greet Ada and Bob in hi style.']],
  },
  'a built-in command that asks the model': {
    words: '/init',
    sent: [[expect.stringContaining('GEMINI.md')]],
  },
  'characters no service takes': { words: 'a\0b and half of \uD83D', sent: [['a\uFFFDb and half of \uFFFD']] },
  'such characters behind a slash': { words: '/help me with \0', sent: [['/help me with \uFFFD']] },
  'context of a SessionStart hook': {
    words: 'hello',
    settings: SESSION_START,
    sent: [['<hook_context>be brief</hook_context>\n\nhello']],
  },
  'context of a SessionStart hook before a file': {
    words: '@a.txt',
    files: FILES,
    settings: SESSION_START,
    sent: [['<hook_context>be brief</hook_context>\n\n@a.txt', ...ATTACHED]],
  },
  'a prompt that waits for another': {
    words: 'first',
    queued: 'second',
    held: gate,
    script: (held) => [answer(text('One '), held!, text('answer.')), lastAnswer],
    sent: [['first'], ['second']],
    without: ['-p', 'acp'],
  },
  'a prompt that is cancelled': {
    words: 'think',
    held: gate,
    isCancelled: true,
    script: (held) => [answer(text('Half of'), held!, text(' it'))],
    sent: [['think']],
  },
  'a prompt that an earlier program left unanswered': {
    args: ['--continue'],
    files: FILES,
    before: leaveUnanswered,
    without: ['acp'],
    sent: [['look at @a.txt', ...ATTACHED]],
  },
};

/** A program that was killed before the model said a word. */
async function leaveUnanswered(workspace: Workspace): Promise<void> {
  const held = gate();
  await using model = await fakeModel([answer(held, text('never'))]);
  await using cli = await startCli(['-p', 'look at @a.txt'], { model, workspace, env: TRUSTED });
  await held.reached;
  cli.kill('SIGKILL');
  await cli.done;
}

function lastTexts({ requests }: Seen): unknown[][] {
  return (requests as { parts: { text?: string }[] }[][]).map((contents) =>
    (contents.at(-1)?.parts ?? []).flatMap(({ text: said = '' }) =>
      said.startsWith('<session_context>') ? [] : [said],
    ),
  );
}

describe('every surface', () => {
  const scenes = Object.entries(SCENES).map(([name, scene], index) => [name, index, scene] as const);

  it.each(scenes.filter(([, place]) => place % 2 === 0))('sends and records the same: %s', play);
  it.each(scenes.filter(([, place]) => place % 2 === 1))('sends and records the same: %s', { tags: 'wide' }, play);

  async function play(_name: string, place: number, { sent, without = [], ...scene }: Scene & Expected): Promise<void> {
    const able = Object.keys(SURFACES).filter((name) => !without.includes(name));
    const names = inject('isEndurance') ? able : [able[place % able.length]!, able[(place + 1) % able.length]!];
    const seen = await Promise.all(names.map((name) => SURFACES[name]!(scene)));
    for (const [index, name] of names.entries()) {
      expect({ name, sent: lastTexts(seen[index]!) }).toEqual({ name, sent });
      expect({ name, ...seen[index]! }).toEqual({ name, ...seen[0]! });
    }
    expect(seen[0]!.recorded.length).toBeGreaterThan(1);
  }
});
