/**
 * debugLogger: logs a run for developers: requests before they are sent, and the causes of a failed turn. It is silent
 * until a surface connects a sink, because core never prints, and it removes credentials.
 */

export type DebugLevel = 'debug' | 'log' | 'warn' | 'error';
export type DebugSink = (level: DebugLevel, message: string) => void;

/** Hiding a shorter secret would also hide ordinary words. */
const LEAST_SECRET = 8;
const HIDDEN = '[hidden]';
/** Keys and tokens by their own format, and values after a name such as `api_key`. */
const CREDENTIALS: readonly RegExp[] = [
  /\bAIza[\w-]{20,}/g,
  /\bya29\.[\w.-]+/g,
  /\bsk-[\w-]{16,}/g,
  /\bgh[opsu]_\w{20,}|\bgithub_pat_\w{20,}/g,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/-]{8,}=*/gi,
  /(?<=[?&](?:key|token|access_token)=)[^&\s"']+/gi,
  /(?<=:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g,
  /(?<=\bcookie:\s*)\S.*/gi,
  // Quotes may be escaped: a body of JSON is often a string inside JSON.
  /(?<=(?:api[-_]?key|authorization|(?:access|refresh|id)_token|client_secret|password)\\?["']?\s*[:=]\s*\\?["']?)[^\s"',}&\\]{8,}/gi,
];

class DebugLogger {
  private sink: DebugSink | undefined;
  private readonly secrets = new Set<string>();
  private readonly concealers = new Set<(text: string) => string>();

  /** Whether a sink is connected: callers build costly messages only then. */
  get isEnabled(): boolean {
    return this.sink !== undefined;
  }

  /** The sink receives every message until the returned function is called or another sink is connected. */
  connect(sink: DebugSink): () => void {
    this.sink = sink;
    return () => {
      if (this.sink === sink) this.sink = undefined;
    };
  }

  /** Replaces this text in every message. */
  hide(secret: string | undefined): void {
    if (secret !== undefined && secret.length >= LEAST_SECRET) this.secrets.add(secret);
  }

  /** Every message passes through it too, until the returned function is called. Each session has one. */
  concealWith(conceal: (text: string) => string): () => void {
    this.concealers.add(conceal);
    return () => void this.concealers.delete(conceal);
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
    for (const conceal of this.concealers) shown = conceal(shown);
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
    // A value that is not JSON is converted to a string.
    return String(value);
  }
}

export const debugLogger = new DebugLogger();
