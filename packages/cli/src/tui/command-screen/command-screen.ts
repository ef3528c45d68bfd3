/**
 * The screen of one running command. Buffers its output until the emulator is loaded, which is not before a user could
 * look, and feeds it at a pace that leaves time for everything else; of a flood only the end is drawn.
 */

import type { TerminalSink, TerminalSize } from '@castor/core';
import { ByteBacklog } from './byte-backlog.ts';
import type { ScreenLook, ScreenPicture } from './screen-rows.ts';
import type { Emulator, KeyModes } from './emulator.ts';

export interface CommandScreenOptions {
  readonly size: TerminalSize;
  /** Undefined without a screen. */
  readonly openEmulator: ((onAnswer: (text: string) => void, size: TerminalSize) => Promise<Emulator>) | undefined;
  /** Answers for the program, which has queried its terminal. */
  readonly onAnswer: (text: string) => void;
  readonly onChange: () => void;
  /** The command began to wait for input, or continues; `isNews` when the user should be notified. */
  readonly onWaiting: (isNews: boolean) => void;
  readonly onClosed: () => void;
}

/** Most commands end sooner, and need no emulator. */
const OPEN_AFTER_MS = 100;
/**
 * The pause after a portion is as long as the portion took, so that the emulator uses half of the time at most; these
 * are the shortest pauses.
 */
const ATTENDED_PAUSE_MS = 8;
const PAUSE_MS = 50;
/** The most answers to the queries of one portion. */
const MOST_ANSWERS = 32;
/** An incomplete picture is shown after this time. */
const LONGEST_PICTURE_MS = 200;
const NOTHING: ScreenPicture = {
  rows: [],
  cursor: { row: 0, column: 0 },
  showsCursor: true,
  isWhole: false,
  scrolled: 0,
};
const PLAIN_KEYS: KeyModes = { hasApplicationCursor: false, hasBracketedPaste: false };

export class CommandScreen implements TerminalSink {
  isAttended = false;
  /** The line at which the command waits for input; may be empty. */
  waitingAt: string | undefined;
  private readonly options: CommandScreenOptions;
  private size: TerminalSize;
  /** False without a screen or an emulator: the surface then shows the text of the output. */
  private isDrawable: boolean;
  private timer: NodeJS.Timeout | undefined;
  private opening: Promise<void> | undefined;
  private emulator: Emulator | undefined;
  private readonly backlog = new ByteBacklog();
  private isFeeding = false;
  /** Answers to queries of the last portion. */
  private answers = 0;
  private isClosed = false;
  private isTold = false;
  /** Changes with every visible change. */
  private version = 0;
  private drawn: { version: number; look: ScreenLook; at: number; picture: ScreenPicture } | undefined;

  constructor(options: CommandScreenOptions) {
    this.options = options;
    this.size = options.size;
    this.isDrawable = options.openEmulator !== undefined;
  }

  get keyModes(): KeyModes {
    return this.emulator?.keyModes ?? PLAIN_KEYS;
  }

  /** Undefined where only the text of the output can be shown. */
  picture(look: Omit<ScreenLook, 'hasCursor'>): ScreenPicture | undefined {
    const { emulator, drawn } = this;
    if (!this.isDrawable) return undefined;
    if (!emulator || this.version === 0) return NOTHING;
    const now = performance.now();
    if (drawn && emulator.isDrawing && now - drawn.at < LONGEST_PICTURE_MS) return drawn.picture;
    const wanted = { ...look, hasCursor: this.isAttended };
    if (drawn?.version === this.version && isSameLook(drawn.look, wanted)) return drawn.picture;
    const picture = emulator.picture(wanted);
    this.drawn = { version: this.version, look: wanted, at: now, picture };
    return picture;
  }

  write(bytes: Uint8Array): void {
    if (this.isClosed || !this.isDrawable) return;
    this.timer ??= setTimeout(() => this.open(), OPEN_AFTER_MS).unref();
    this.backlog.push(bytes);
    if (this.emulator && !this.isFeeding) this.feed();
  }

  wait(line: string | undefined): void {
    this.waitingAt = line;
    // Once, until the user has looked: a program that draws now and then waits again each time.
    const isNews = line !== undefined && !this.isAttended && !this.isTold;
    this.isTold ||= isNews;
    this.options.onWaiting(isNews);
  }

  /** The user focuses it to type, or leaves it. */
  attend(isAttended: boolean): void {
    this.isAttended = isAttended;
    this.isTold &&= !isAttended;
    if (isAttended) this.open();
  }

  resize(size: TerminalSize): void {
    this.size = size;
    this.emulator?.resize(size);
    this.version++;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.waitingAt = undefined;
    this.backlog.clear();
    this.emulator?.dispose();
    this.emulator = undefined;
    this.options.onClosed();
  }

  private open(): void {
    const { openEmulator } = this.options;
    if (this.isClosed || !openEmulator) return;
    this.opening ??= this.load(openEmulator).catch(() => {
      this.isDrawable = false;
      this.backlog.clear();
    });
  }

  private async load(openEmulator: NonNullable<CommandScreenOptions['openEmulator']>): Promise<void> {
    const emulator = await openEmulator((text) => this.answer(text), this.size);
    if (this.isClosed) return emulator.dispose();
    emulator.resize(this.size);
    this.emulator = emulator;
    this.feed();
  }

  /**
   * A program that only prints does not read: an answer would end up on its screen. The same holds for endless queries.
   */
  private answer(text: string): void {
    const isRead = this.isAttended || this.emulator?.isWhole;
    if (isRead && ++this.answers <= MOST_ANSWERS) this.options.onAnswer(text);
  }

  private feed(): void {
    const portion = this.backlog.take();
    this.answers = 0;
    this.isFeeding = portion !== undefined;
    if (!portion) return;
    const start = performance.now();
    this.emulator?.skip(this.backlog.takeDropped());
    this.emulator?.write(portion, () => {
      if (this.isClosed) return;
      this.version++;
      this.options.onChange();
      const pause = Math.max(performance.now() - start, this.isAttended ? ATTENDED_PAUSE_MS : PAUSE_MS);
      if (this.backlog.isEmpty) this.isFeeding = false;
      else setTimeout(() => this.feed(), pause).unref();
    });
  }
}

function isSameLook(left: ScreenLook, right: ScreenLook): boolean {
  return (Object.keys(left) as (keyof ScreenLook)[]).every((name) => left[name] === right[name]);
}
