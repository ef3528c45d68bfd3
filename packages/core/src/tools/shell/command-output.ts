/**
 * CommandOutput: the way of a command's bytes to the three who want them: the bounded
 * text for the result, the deltas for a person, and, once the command was moved to the
 * background, its log. Output that is not text is counted and not shown.
 */

import { OutputCleaner } from './clean-output.ts';
import { LiveOutput } from './live-output.ts';
import { OutputRing } from './output-ring.ts';
import { saysReady } from './server-detector.ts';

/** So much is looked at to tell text from other bytes. */
const SNIFFED_BYTES = 4096;
/** A server says early that it is up; what comes later is somebody else's text. */
const READY_WITHIN_BYTES = 64 * 1024;

export interface CommandOutputOptions {
  cap?: number;
  onOutput?: (text: string) => void;
  /** Called for every chunk, before it is looked at. */
  onActivity?: () => void;
  liveIntervalMs?: number;
}

export class CommandOutput {
  private readonly cleaner = new OutputCleaner();
  private readonly ring: OutputRing;
  private readonly live: LiveOutput | undefined;
  private readonly onActivity: (() => void) | undefined;
  private sink: ((text: string) => void) | undefined;
  private bytesWritten = 0;
  private sawBinary = false;
  private saidReady = false;
  private attended = false;

  constructor(options: CommandOutputOptions = {}) {
    this.ring = new OutputRing(options.cap);
    this.onActivity = options.onActivity;
    if (options.onOutput) {
      this.live = new LiveOutput({
        emit: options.onOutput,
        unfinishedLine: () => this.cleaner.unfinishedLine,
        ...(options.liveIntervalMs !== undefined && { intervalMs: options.liveIntervalMs }),
      });
    }
  }

  get isBinary(): boolean {
    return this.sawBinary;
  }

  get byteCount(): number {
    return this.bytesWritten;
  }

  /** Whether it wrote, among its first lines, what servers write when they are up. */
  get hasSaidReady(): boolean {
    return this.saidReady || saysReady(this.cleaner.unfinishedLine);
  }

  /** What stands after the last newline: where a prompt would be. */
  get unfinishedLine(): string {
    return this.cleaner.unfinishedLine;
  }

  write(bytes: Uint8Array): void {
    this.onActivity?.();
    const sniffed = bytes.subarray(0, Math.max(0, SNIFFED_BYTES - this.bytesWritten));
    this.bytesWritten += bytes.length;
    this.sawBinary ||= sniffed.includes(0);
    if (this.sawBinary) return;
    const text = this.cleaner.write(bytes);
    if (!this.saidReady && this.bytesWritten < READY_WITHIN_BYTES) this.saidReady = saysReady(text);
    if (this.sink) return this.sink(text);
    this.ring.push(text);
    this.live?.push(text);
  }

  /** The whole output so far, once: it is given away. */
  text(): string {
    this.live?.flush();
    if (this.sawBinary) return `[Binary output: ${this.bytesWritten} bytes, not shown.]`;
    this.ring.push(this.cleaner.end());
    return this.ring.take();
  }

  /** From here on text goes to `sink` only, and no longer to a person. */
  redirect(sink: (text: string) => void): void {
    this.sink = sink;
  }

  remark(text: string): void {
    this.live?.remark(text);
  }

  /** Somebody types into the command, and looks at it. */
  attend(): void {
    this.attended = true;
    this.live?.attend();
  }

  get isAttended(): boolean {
    return this.attended;
  }
}
