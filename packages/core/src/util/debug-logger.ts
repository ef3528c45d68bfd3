/**
 * debugLogger: what a developer wants to read of a run: requests before they are sent, and what led to a failed turn. It is
 * silent until a surface connects a sink, because core never prints, and it never passes a credential on.
 */

export type DebugLevel = 'debug' | 'log' | 'warn' | 'error';
export type DebugSink = (level: DebugLevel, message: string) => void;

/** A shorter secret would take ordinary words with it. */
const LEAST_SECRET = 8;
const HIDDEN = '[hidden]';
/** Keys and tokens by their own form, and whatever stands after a name that says it is one. */
const CREDENTIALS: readonly RegExp[] = [
  /\bAIza[\w-]{20,}/g,
  /\bya29\.[\w.-]+/g,
  /\bsk-[\w-]{16,}/g,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/-]{8,}=*/gi,
  /(?<=[?&](?:key|token|access_token)=)[^&\s"']+/gi,
  /(?<=["']?(?:x-goog-api-key|api[-_]?key|authorization|access_token)["']?\s*[:=]\s*["']?)[^\s"',}]{8,}/gi,
];

class DebugLogger {
  private sink: DebugSink | undefined;
  private readonly secrets = new Set<string>();

  /** Whether anyone reads: what is costly to describe is described only then. */
  get isEnabled(): boolean {
    return this.sink !== undefined;
  }

  /** The sink gets every message from here on, until the returned function is called or another one is connected. */
  connect(sink: DebugSink): () => void {
    this.sink = sink;
    return () => {
      if (this.sink === sink) this.sink = undefined;
    };
  }

  /** Never passes this text on. */
  hide(secret: string | undefined): void {
    if (secret !== undefined && secret.length >= LEAST_SECRET) this.secrets.add(secret);
  }

  debug(...values: unknown[]): void {
    this.write('debug', values);
  }

  log(...values: unknown[]): void {
    this.write('log', values);
  }

  warn(...values: unknown[]): void {
    this.write('warn', values);
  }

  error(...values: unknown[]): void {
    this.write('error', values);
  }

  private write(level: DebugLevel, values: readonly unknown[]): void {
    this.sink?.(level, this.withoutCredentials(values.map(toText).join(' ')));
  }

  private withoutCredentials(text: string): string {
    let shown = text;
    for (const secret of this.secrets) shown = shown.replaceAll(secret, HIDDEN);
    for (const credential of CREDENTIALS) shown = shown.replace(credential, HIDDEN);
    return shown;
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return value.stack ?? value.message;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A value that is not JSON is described, not lost.
    return String(value);
  }
}

export const debugLogger = new DebugLogger();
