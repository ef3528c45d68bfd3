/**
 * CommandOutput: passes a command's bytes to their three consumers: the bounded text
 * of the result, the deltas for the user and, once the command was moved to the
 * background, its log. Output that is not text is counted and not shown; output beyond
 * the limit of a command is counted and dropped.
 */

import { OutputCleaner } from './clean-output.ts';
import { LiveOutput } from './live-output.ts';
import { OutputRing } from './output-ring.ts';
import { saysReady } from './server-detector.ts';

/** How many bytes are examined to distinguish text from binary output. */
const SNIFFED_BYTES = 4096;
/** A server reports early that it is ready; later lines may be other output. */
const READY_WITHIN_BYTES = 64 * 1024;

export interface CommandOutputOptions {
  cap?: number | undefined;
  onOutput?: ((text: string) => void) | undefined;
  /** Called for every chunk, before it is examined. */
  onActivity?: () => void;
  /** Bytes a command may print; 0 for no limit. */
  maxBytes?: number;
  /** Called once, when the command exceeds the limit. */
  onTooMuch?: () => void;
  liveIntervalMs?: number;
}

export class CommandOutput {
  private readonly cleaner = new OutputCleaner();
  private readonly ring: OutputRing;
  private readonly live: LiveOutput | undefined;
  private readonly onActivity: (() => void) | undefined;
  private readonly maxBytes: number;
  private tooMuchListener: (() => void) | undefined;
  private sink: ((text: string) => void) | undefined;
  private bytesWritten = 0;
  private sawBinary = false;
  private saidReady = false;
  private attended = false;

  constructor(options: CommandOutputOptions = {}) {
    this.ring = new OutputRing(options.cap);
    this.onActivity = options.onActivity;
    this.maxBytes = options.maxBytes || Number.POSITIVE_INFINITY;
    this.tooMuchListener = options.onTooMuch;
    if (options.onOutput) {
      this.live = new LiveOutput({
        emit: options.onOutput,
        unfinishedLine: () => this.cleaner.unfinishedLine,
        intervalMs: options.liveIntervalMs,
      });
    }
  }

  get isBinary(): boolean {
    return this.sawBinary;
  }

  get byteCount(): number {
    return this.bytesWritten;
  }

  /** Whether its first lines contain a typical ready message of a server. */
  get hasSaidReady(): boolean {
    return this.saidReady || saysReady(this.cleaner.unfinishedLine);
  }

  /** The text after the last newline, where a prompt would be. */
  get unfinishedLine(): string {
    return this.cleaner.unfinishedLine;
  }

  write(bytes: Uint8Array): void {
    this.onActivity?.();
    const kept = bytes.subarray(0, Math.max(0, this.maxBytes - this.bytesWritten));
    const sniffed = kept.subarray(0, Math.max(0, SNIFFED_BYTES - this.bytesWritten));
    this.bytesWritten += bytes.length;
    this.sawBinary ||= sniffed.includes(0);
    if (kept.length > 0 && !this.sawBinary) this.writeText(this.cleaner.write(kept));
    if (this.bytesWritten > this.maxBytes) this.reportTooMuch();
  }

  private writeText(text: string): void {
    if (!this.saidReady && this.bytesWritten < READY_WITHIN_BYTES) this.saidReady = saysReady(text);
    if (this.sink) return this.sink(text);
    this.ring.push(text);
    this.live?.push(text);
  }

  /** The whole output so far; can be taken only once. */
  text(): string {
    this.live?.flush();
    if (this.sawBinary) return `[Binary output: ${this.bytesWritten} bytes, not shown.]`;
    this.ring.push(this.cleaner.end());
    return this.ring.take();
  }

  /** From now on sends text to `sink` only, no longer to the user. */
  redirect(sink: (text: string) => void): void {
    this.sink = sink;
  }

  /** Replaces the listener for too much output. */
  onTooMuch(listener: () => void): void {
    this.tooMuchListener = listener;
  }

  private reportTooMuch(): void {
    const report = this.tooMuchListener;
    this.tooMuchListener = undefined;
    report?.();
  }

  remark(text: string): void {
    this.live?.remark(text);
  }

  /** The user types into the command and watches it. */
  attend(): void {
    this.attended = true;
    this.live?.attend();
  }

  get isAttended(): boolean {
    return this.attended;
  }
}
