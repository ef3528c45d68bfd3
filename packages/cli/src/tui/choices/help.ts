/** `?` and `/help`: the keys as they are bound now, and the commands by group, on a page that leaves nothing behind. */

import type { SlashCommand } from '../../slash/command.ts';
import { GROUPS, groupOf } from '../../slash/command-groups.ts';
import { sanitizeLine } from '../../sanitize.ts';
import type { App } from '../app/app.ts';
import type { CommandName } from '../input/commands.ts';
import { commandRows, keyRows } from './help-rows.ts';
import type { HelpSection } from './help-rows.ts';

type KeyRow = readonly [command: CommandName | { readonly key: string }, does: string];

const SECTIONS: readonly (readonly [title: string, rows: readonly KeyRow[]])[] = [
  [
    'Say',
    [
      ['input.submit', 'sends'],
      ['input.newline', 'a new line'],
      ['input.queueMessage', 'queues it'],
      [{ key: '@' }, 'a file'],
      [{ key: '/' }, 'a command'],
      [{ key: '!' }, 'your shell'],
      ['input.paste', 'pastes, images too'],
      ['history.search.start', 'an earlier prompt'],
      ['input.openExternalEditor', 'in your editor'],
    ],
  ],
  [
    'While it works',
    [
      ['basic.cancel', 'stops'],
      [{ key: 'enter' }, 'says the queue now'],
      [{ key: 'up' }, 'edits the queue'],
      ['app.focusShellInput', 'types into a command'],
      ['app.unfocusShellInput', 'back to the prompt'],
      ['background.toggle', 'to the background'],
      ['app.cycleApprovalMode', 'the next mode'],
      ['app.toggleYolo', 'YOLO'],
    ],
  ],
  [
    'Look back',
    [
      ['app.showMoreLines', 'results whole'],
      [{ key: 'esc esc' }, 'an earlier message'],
      ['app.showFullTodos', 'the plan'],
      ['app.toggleMarkdown', 'markdown as written'],
      ['app.toggleCopyMode', 'freezes, to select'],
      ['app.clearScreen', 'clears the screen'],
      ['app.showErrorDetails', 'messages of the program'],
      [{ key: 'tab tab' }, 'hides the details'],
    ],
  ],
  [
    'Edit',
    [
      ['edit.undo', 'undoes'],
      ['edit.redo', 'does it again'],
      ['edit.deleteWordLeft', 'deletes a word'],
      ['edit.deleteRightAll', 'deletes to the end'],
      ['app.suspend', 'suspends; fg goes on'],
      ['basic.quit', 'twice: leaves'],
    ],
  ],
];

export async function showKeys(app: App, signal?: AbortSignal): Promise<void> {
  await show(app, [], signal);
}

export async function showHelp(app: App, commands: readonly SlashCommand[], signal?: AbortSignal): Promise<void> {
  await show(app, sectionsOf(commands), signal);
}

async function show(app: App, commands: readonly HelpSection[], signal: AbortSignal | undefined): Promise<void> {
  const sections = keySections(app);
  // A voice reads a page once, in its turn among the lines.
  if (app.isSpoken) return app.info(spoken([...sections, ...commands]));
  await app.dialogs.showPage(
    { title: 'Help', rows: (space) => [...keyRows(sections, space), ...commandRows(commands, space)] },
    signal,
  );
}

function keySections(app: App): HelpSection[] {
  const keymap = app.composer.getKeymap();
  const keyOf = (command: KeyRow[0]) =>
    typeof command === 'object' ? command.key : [...(keymap.get(command) ?? [])].find(isOnKeyboard);
  return SECTIONS.map(([title, rows]) => ({
    title,
    rows: rows.flatMap(([command, does]) => {
      const key = keyOf(command);
      return key === undefined ? [] : [[key === 'escape' ? 'esc' : key, does] as const];
    }),
  }));
}

function sectionsOf(commands: readonly SlashCommand[]): HelpSection[] {
  return GROUPS.map((title) => ({
    title,
    rows: commands
      .filter((command) => groupOf(command) === title)
      .map(
        ({ name, usage, description }) =>
          [sanitizeLine(`/${name}${usage === undefined ? '' : ` ${usage}`}`), sanitizeLine(description)] as const,
      ),
  })).filter(({ rows }) => rows.length > 0);
}

function spoken(sections: readonly HelpSection[]): string {
  return sections
    .flatMap(({ title, rows }) => [`${title}.`, ...rows.map(([key, does]) => `${key}: ${does}`)])
    .join('\n');
}

function isOnKeyboard(key: string): boolean {
  return process.platform === 'darwin' || !key.includes('cmd+');
}
