/**
 * One program at its prompt for the tests of a file that need no fresh one: a start with the first answer costs ten
 * times what a scene costs. Each scene begins in a new session on a clean screen, at an empty prompt and in the mode the
 * program was started in. It may end with words in the composer, not in a dialog; one that fails takes the program with it.
 */

import type { FakeModel, Script, Step, Terminal, Workspace } from '@castor/testkit';
import { afterAll } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import type { OpenTerminalOptions, OpenedTerminal } from './open-terminal.ts';

export interface Scene {
  readonly workspace: Workspace;
  /** The requests of this scene only. */
  readonly model: Pick<FakeModel, 'requests' | 'violations' | 'waitForRequest'>;
  readonly terminal: Terminal;
  /** What this scene has written, as `lines()` of the terminal gives it. */
  written(): string[];
  /** The bytes of this scene. */
  output(): string;
}

/** Shift+Tab leads through so many. */
const MODES = 3;
const NEW_SESSION = '· A new session has started.';

/** Call it where `afterAll` may be called; the program starts with the first scene. */
export function sharedTerminal(options: Omit<OpenTerminalOptions, 'script' | 'until'> = {}) {
  let opened: OpenedTerminal | undefined;
  let script: Script = [];
  let played = 0;
  const startMode = options.args?.includes('--yolo') ? 'YOLO' : undefined;
  const next: Script = (request) => {
    if (typeof script === 'function') return script(request);
    const step = script[Math.min(played++, script.length - 1)];
    if (step === undefined) throw new Error('This scene has no answer of the model.');
    return step satisfies Step;
  };
  const close = async () => {
    const closing = opened;
    opened = undefined;
    await closing?.[Symbol.asyncDispose]();
  };
  afterAll(close);

  /** Plays one scene; the last answer of its script is given again and again. */
  return async (answers: Script, play: (scene: Scene) => Promise<void>): Promise<void> => {
    try {
      if (opened) await beginAnew(opened.terminal, startMode);
      else opened = await openTerminal({ ...options, script: next });
      [script, played] = [answers, 0];
      await play(sceneIn(opened));
      await untilAtPrompt(opened.terminal);
    } catch (error) {
      await close();
      throw error;
    }
  };
}

function sceneIn({ workspace, model, terminal }: OpenedTerminal): Scene {
  const earlier = model.requests.length;
  const from = terminal.bytes.length;
  return {
    workspace,
    terminal,
    model: {
      get requests() {
        return model.requests.slice(earlier);
      },
      get violations() {
        return model.violations.filter(({ request }) => request.index >= earlier);
      },
      waitForRequest: (count) => model.waitForRequest(earlier + count),
    },
    written: () => terminal.lines().slice(terminal.lines().lastIndexOf(NEW_SESSION) + 1),
    output: () => terminal.bytes.slice(from),
  };
}

async function untilAtPrompt(terminal: Terminal): Promise<void> {
  // The placeholder is there while it works, too.
  await terminal.waitUntil((seen) => seen.title().includes('Ready') && composed(seen) !== undefined);
  if (!isEmpty(terminal)) terminal.type('\x03');
  await terminal.waitUntil(isEmpty);
}

function mode(terminal: Terminal): string | undefined {
  return /^── (accepting edits|plan|YOLO)\b/m.exec(terminal.screen().join('\n'))?.[1];
}

/** The first row of the composer, which is below a rule. */
function composed(terminal: Terminal): string | undefined {
  const screen = terminal.screen();
  const row = screen[screen.findLastIndex((line) => line.startsWith('──')) + 1];
  return row?.startsWith('❯ ') ? row : undefined;
}

function isEmpty(terminal: Terminal): boolean {
  return composed(terminal)?.startsWith(`❯ ${READY}`) === true;
}

async function beginAnew(terminal: Terminal, startMode: string | undefined): Promise<void> {
  const count = sessions(terminal);
  terminal.type('/clear\r');
  await terminal.waitUntil((seen) => sessions(seen) > count && isEmpty(seen));
  for (let presses = 0; mode(terminal) !== startMode; presses++) {
    if (presses > MODES) throw new Error(`The mode of the start did not come back:\n${terminal.screen().join('\n')}`);
    const before = mode(terminal);
    terminal.type(before === 'YOLO' || startMode === 'YOLO' ? '\x19' : '\x1b[Z');
    await terminal.waitUntil((seen) => mode(seen) !== before);
  }
}

function sessions(terminal: Terminal): number {
  return terminal.lines().filter((line) => line === NEW_SESSION).length;
}
