/**
 * Shows the commands in the background: their list, and the output of one at a time. A command moved there from the
 * foreground still has its terminal and takes typed text. The owner triggers each refresh.
 */

import type { BackgroundProcess } from '@castor/core';
import { encodeKey, encodePaste } from '../input/encode-key.ts';
import type { CommandName } from '../input/commands.ts';
import type { Key } from '../input/key.ts';
import { findCommand } from '../input/keymap.ts';
import type { Keymap } from '../input/keymap.ts';
import { makeVisibleLine } from '../../make-visible.ts';
import type { ScreenPicture } from './screen-rows.ts';
import type { KeyModes } from './emulator.ts';
import { renderKeys, renderRule } from '../render/rule.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';
import type { Dialog, DialogSpace, DialogView } from '../dialogs/dialog.ts';
import { keysOf } from '../dialogs/key-hint.ts';
import { shellRows } from './shell-rows.ts';

export interface BackgroundPort {
  list(): readonly BackgroundProcess[];
  /** The end of its output. */
  read(pid: number): Promise<string>;
  kill(pid: number): void;
  /** Undefined without a screen, as when the command has ended. */
  screen(pid: number): ScreenPicture | undefined;
  keyModes(pid: number): KeyModes | undefined;
  /** The focused command, if any. */
  attend(pid: number | undefined): void;
  canType(pid: number): boolean;
  type(pid: number, text: string): void;
}

export interface BackgroundViewOptions {
  readonly port: BackgroundPort;
  readonly keymap: () => Keymap;
  readonly onChange: () => void;
  readonly leave: () => void;
}

const MOST_LISTED = 12;
const ROOM_FOR_GAPS = 12;
/** Of the sign, the number and the state beside a command. */
const STATE_CELLS = 36;
const IN_LIST: readonly CommandName[] = [
  ...(['background.escape', 'background.unfocusList', 'background.unfocus', 'background.toggle'] as const),
  ...(['background.select', 'background.kill', 'nav.dialog.up', 'nav.dialog.down'] as const),
];
const IN_OUTPUT: readonly CommandName[] = [
  ...(['background.toggle', 'background.unfocus', 'background.toggleList', 'background.kill'] as const),
];

export class BackgroundView implements Dialog {
  private readonly options: BackgroundViewOptions;
  private index = 0;
  /** The command whose output is shown. */
  private shown: { pid: number; output: string } | undefined;

  constructor(options: BackgroundViewOptions) {
    this.options = options;
    const [first, second] = options.port.list();
    // A single command needs no choice.
    if (first && !second) this.show(first.pid);
  }

  get takesText(): boolean {
    return this.canType;
  }

  view(space: DialogSpace): DialogView {
    return this.shown ? this.viewOutput(this.shown, space) : this.viewList(space);
  }

  /** Refreshes what is shown. */
  async refresh(): Promise<void> {
    const { shown } = this;
    if (shown) {
      const output = await this.options.port.read(shown.pid);
      if (this.shown?.pid === shown.pid) this.shown = { ...shown, output };
    }
    this.options.onChange();
  }

  wants(key: Key): boolean {
    return this.canType || findCommand(this.options.keymap(), key, this.shown ? IN_OUTPUT : IN_LIST) !== undefined;
  }

  onKey(key: Key): void {
    const { shown } = this;
    const { port } = this.options;
    const command = findCommand(this.options.keymap(), key, shown ? IN_OUTPUT : IN_LIST);
    if (command !== undefined) this.run(command);
    else if (shown && this.canType) port.type(shown.pid, encodeKey(key, port.keyModes(shown.pid)));
    else if (key.name === 'escape') this.options.leave();
    else if (!shown && /^[1-9]$/.test(key.name)) this.select(Number(key.name) - 1);
  }

  onText(text: string): void {
    if (this.shown && this.canType) this.options.port.type(this.shown.pid, text);
    else if (text === 'j' || text === 'k') this.move(text === 'j' ? 1 : -1);
    else if (!this.shown && /^[1-9]$/.test(text)) this.select(Number(text) - 1);
  }

  onPaste(text: string): void {
    const { port } = this.options;
    if (this.shown && this.canType) port.type(this.shown.pid, encodePaste(text, port.keyModes(this.shown.pid)));
  }

  dismiss(): void {
    this.options.leave();
  }

  private get canType(): boolean {
    return this.shown !== undefined && this.options.port.canType(this.shown.pid);
  }

  private run(command: CommandName): void {
    switch (command) {
      case 'background.select':
        return this.select(this.index);
      case 'background.kill':
        return this.kill();
      case 'background.toggleList':
        this.shown = undefined;
        return this.options.port.attend(undefined);
      case 'nav.dialog.up':
      case 'nav.dialog.down':
        return this.move(command === 'nav.dialog.up' ? -1 : 1);
      default:
        return this.options.leave();
    }
  }

  private select(index: number): void {
    const process = this.options.port.list()[index];
    if (process) this.show(process.pid);
  }

  private show(pid: number): void {
    this.index = this.options.port.list().findIndex((each) => each.pid === pid);
    this.shown = { pid, output: '' };
    this.options.port.attend(pid);
    void this.refresh();
  }

  private kill(): void {
    const pid = this.shown?.pid ?? this.options.port.list()[this.index]?.pid;
    if (pid !== undefined) this.options.port.kill(pid);
  }

  private move(by: number): void {
    const { length } = this.options.port.list();
    if (!this.shown && length > 0) this.index = (this.index + by + length) % length;
  }

  private viewOutput({ pid, output }: { pid: number; output: string }, space: DialogSpace): DialogView {
    const process = this.options.port.list().find((each) => each.pid === pid);
    const title = process ? `${stateOf(process)} · PID ${pid} · ${process.command}` : `PID ${pid}`;
    const isOver = process?.status !== 'running';
    const keys = keysOf(this.options.keymap(), [
      ['background.toggle', 'back'],
      ['background.toggleList', 'the list'],
      ...(isOver ? [] : [['background.kill', 'ends it'] as const]),
    ]);
    const shown = output === '' && !this.canType ? '(nothing written yet)' : output;
    const screen = this.options.port.screen(pid);
    return shellRows({ title, screen, output: shown, takesText: this.canType, keys }, space);
  }

  private viewList({ styles, width, maxRows }: DialogSpace): DialogView {
    const all = this.options.port.list();
    const isLow = maxRows < ROOM_FOR_GAPS;
    const most = Math.max(Math.min(maxRows - (isLow ? 2 : 4), MOST_LISTED), 1);
    const first = Math.max(0, Math.min(this.index - Math.floor(most / 2), all.length - most));
    const shown = all.slice(first, first + most);
    const names = shown.map(({ command }) => shortenRow(makeVisibleLine(command), Math.max(width - STATE_CELLS, 10)));
    const column = Math.max(0, ...names.map(rowWidth)) + 2;
    const rows = shown.map((process, offset) => {
      const index = first + offset;
      const name = names[offset] ?? '';
      const label = `${index > 8 ? '   ' : `${index + 1}  `}${name}`;
      const state = styles.secondary(`${stateOf(process)} · PID ${process.pid}`);
      const isActive = index === this.index;
      const lead = isActive ? styles.bold(styles.accent(`❯ ${label}`)) : `  ${label}`;
      return shortenRow(`${lead}${' '.repeat(column - rowWidth(name))}${state}`, width);
    });
    const keys = keysOf(this.options.keymap(), [
      ['background.select', 'shows it'],
      ['background.kill', 'ends it'],
      ['background.escape', 'back'],
    ]);
    const count = styles.secondary(`${this.index + 1} of ${all.length}`);
    const title = renderRule({ styles, width, left: styles.bold('Commands in the background'), right: count });
    const gap = isLow ? [] : [''];
    return { rows: [title, ...gap, ...rows, ...gap, shortenRow(`  ${renderKeys(keys, styles)}`, width)] };
  }
}

function stateOf({ status, exitCode, signal, stopped }: BackgroundProcess): string {
  if (status === 'running') return 'running';
  if (stopped !== undefined) return `stopped: ${stopped}`;
  return signal ? `ended by ${signal}` : `exit code ${exitCode}`;
}
