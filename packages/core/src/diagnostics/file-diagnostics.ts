/**
 * FileDiagnostics: what an edit broke. After an edit it runs the configured formatters on the file, asks the language
 * server of the file for errors, and reports the new ones, within a short limit. A server is started by the first edit of
 * one of its files; one that does not start or does not answer in time costs no more than its limit.
 */

import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ChildGuard } from '../tools/run-child.ts';
import type { Confine } from '../util/invocation.ts';
import { runFormatter } from './formatters.ts';
import type { Formatter } from './formatters.ts';
import { LanguageServer } from './language-server.ts';
import type { FileError } from './read-errors.ts';
import { findProgram, fits } from './server-table.ts';
import type { ServerRow } from './server-table.ts';

export interface FileDiagnosticsOptions {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly guard?: ChildGuard | undefined;
  /** Puts each program into a sandbox; absent: none was asked for. */
  readonly confine?: Confine | undefined;
  readonly servers: readonly ServerRow[];
  readonly formatters: readonly Formatter[];
  /** How long one edit may wait for each program. */
  readonly limitMs: number;
  /** Tells the user. */
  readonly onReport: (message: string) => void;
}

export interface ChangedFile {
  readonly path: string;
  /** Undefined for a file that did not exist. */
  readonly before: string | undefined;
  /** What the call wrote; an editor may not have saved it yet. */
  readonly after: string;
  /** Called when a formatter changed the file: what is on disk now is what the model is told. */
  readonly adopt: (before: Buffer, after: Buffer) => Promise<void>;
}

/** What became of the files of an edit. */
export interface FileReport {
  /** What the model reads after its edit; undefined when nothing is to be said. */
  readonly text: string | undefined;
  /** What the formatters left, by path; only of files they changed. */
  readonly formatted: ReadonlyMap<string, Buffer>;
  /** What is wrong with files that a formatter removed: the call has left nothing there. */
  readonly lost: readonly string[];
}

const MAX_TOLD = 20;

export class FileDiagnostics {
  private readonly options: FileDiagnosticsOptions;
  private readonly running = new Map<string, LanguageServer>();
  /** Servers that did not answer in time, or are not installed: not waited for again. */
  private readonly given = new Set<string>();
  private readonly known = new Map<string, readonly FileError[]>();
  /** The text before the first edit that was not checked in time: later edits are compared with it. */
  private readonly unchecked = new Map<string, string | undefined>();
  /** The last check of each server: a document has one text at a time. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly ending = new AbortController();

  constructor(options: FileDiagnosticsOptions) {
    this.options = options;
  }

  /** Never rejects. On abort a formatter that runs is ended, and nothing more is checked. */
  async report(changes: readonly ChangedFile[], given: AbortSignal): Promise<FileReport> {
    const signal = AbortSignal.any([given, this.ending.signal]);
    const said: string[] = [];
    const formatted = new Map<string, Buffer>();
    const lost: string[] = [];
    for (const change of changes) {
      const { told, bytes, loss } = await this.format(change, signal);
      if (signal.aborted) break;
      if (loss !== undefined) lost.push(loss);
      if (told !== '') said.push(told);
      if (loss !== undefined) continue;
      if (bytes) formatted.set(change.path, bytes);
      const errors = await this.check({ ...change, after: bytes?.toString('utf8') ?? change.after });
      if (errors !== undefined) said.push(errors);
    }
    return { text: said.length === 0 ? undefined : said.join('\n\n'), formatted, lost };
  }

  dispose(): void {
    this.ending.abort();
    for (const server of this.running.values()) server.dispose();
    this.running.clear();
  }

  /** What the model is told, and what a formatter left. */
  private async format(
    { path, after: written, adopt }: ChangedFile,
    signal: AbortSignal,
  ): Promise<{ told: string; bytes?: Buffer; loss?: string }> {
    const { formatters, onReport } = this.options;
    const said: string[] = [];
    let bytes: Buffer | undefined;
    for (const formatter of formatters.filter((each) => fits(each, path))) {
      try {
        const before = await readFile(path);
        if (before.toString('utf8') !== (bytes?.toString('utf8') ?? written)) {
          onReport(`${formatter.name} did not run on ${path}: the editor has not saved it.`);
          continue;
        }
        const { problem, isLate } = await runFormatter(formatter, path, { ...this.options, signal });
        if (problem !== undefined) said.push(`${formatter.name} on ${path}: ${problem}`);
        if (isLate) onReport(`${formatter.name} on ${path}: ${problem}`);
        const after = await readFile(path).catch(() => undefined);
        if (!after) {
          const loss = `${formatter.name} removed ${path} after this edit. The file no longer exists.`;
          onReport(loss);
          return { told: [...said, loss].join('\n'), loss };
        }
        if (after.equals(before)) continue;
        bytes = after;
        await adopt(before, after);
        const { describeFormatting } = await import('./formatters.ts');
        said.push(await describeFormatting(formatter.name, path, before, after));
      } catch (error) {
        if (signal.aborted) break;
        onReport(`${formatter.name} did not run on ${path}: ${getErrorMessage(error)}`);
      }
    }
    return { told: said.join('\n'), ...(bytes && { bytes }) };
  }

  private async check({ path, before: given, after }: ChangedFile): Promise<string | undefined> {
    const row = this.options.servers.find((each) => fits(each, path));
    if (!row || this.given.has(row.name)) return undefined;
    const before = this.unchecked.has(path) ? this.unchecked.get(path) : given;
    const late = new AbortController();
    try {
      const now = await this.limited(
        this.inTurn(row, () => this.compare(row, { path, before, after }, late.signal)),
        row,
      );
      if (now) this.unchecked.delete(path);
      else this.unchecked.set(path, before);
      late.abort();
      if (!now || now.length === 0) return undefined;
      const more = now.length > MAX_TOLD ? `\n… and ${now.length - MAX_TOLD} more` : '';
      const lines = now.slice(0, MAX_TOLD).map(({ line, message }) => `${path}:${line}: ${message}`);
      this.options.onReport(`${row.name}: ${now.length} new ${now.length === 1 ? 'error' : 'errors'} in ${path}.`);
      return `New errors after this edit, from ${row.name}:\n${lines.join('\n')}${more}`;
    } catch (error) {
      this.given.add(row.name);
      this.running.get(row.name)?.dispose();
      this.options.onReport(
        `${row.name} failed (${getErrorMessage(error)}), so that edits are no longer checked with it.`,
      );
      return undefined;
    }
  }

  /** The errors that were not there before the edit. */
  private async compare(
    row: ServerRow,
    { path, before, after }: Pick<ChangedFile, 'path' | 'before' | 'after'>,
    late: AbortSignal,
  ): Promise<FileError[]> {
    const server = late.aborted ? undefined : await this.serverOf(row);
    if (!server) return [];
    const language = languageOf(path);
    const earlier = this.known.get(path) ?? (before === undefined ? [] : await server.check(path, before, language));
    if (late.aborted) return [];
    const now = await server.check(path, after, language);
    // What is not told stays new.
    if (late.aborted) return [];
    this.known.set(path, now);
    const left = earlier.map(({ message }) => message);
    return now.filter(({ message }) => {
      const at = left.indexOf(message);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  }

  private inTurn<T>({ name }: ServerRow, act: () => Promise<T>): Promise<T> {
    const turn = (this.turns.get(name) ?? Promise.resolve()).then(act);
    this.turns.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  }

  private async serverOf(row: ServerRow): Promise<LanguageServer | undefined> {
    const running = this.running.get(row.name);
    if (running && !running.isOver) return running;
    const { root, environment, guard, confine } = this.options;
    const command = findProgram(row.command, environment['PATH'] ?? '');
    if (command === undefined) {
      this.given.add(row.name);
      return undefined;
    }
    const given = { file: command, args: row.args, directory: root, environment };
    const program = confine ? await confine(given, 'tool') : given;
    const begun = this.running.get(row.name);
    if (begun && !begun.isOver) return begun;
    const server = new LanguageServer(program, { guard, isConfined: confine !== undefined });
    this.running.set(row.name, server);
    return server;
  }

  /** A server that is still starting or thinking is left to it: the next edit asks again. */
  private async limited<T>(work: Promise<T>, { name }: ServerRow): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        this.options.onReport(`${name} has not answered yet; this edit is not checked.`);
        resolve(undefined);
      }, this.options.limitMs);
    });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ '.ts': 'typescript', '.mts': 'typescript', '.cts': 'typescript', '.tsx': 'typescriptreact' },
  ...{ '.js': 'javascript', '.mjs': 'javascript', '.cjs': 'javascript', '.jsx': 'javascriptreact' },
  ...{ '.py': 'python', '.pyi': 'python', '.go': 'go', '.rs': 'rust', '.json': 'json' },
};

function languageOf(path: string): string {
  const extension = extname(path).toLowerCase();
  return LANGUAGES[extension] ?? extension.slice(1);
}
