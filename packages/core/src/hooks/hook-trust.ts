/**
 * Decides which hooks of a project may run: none before the folder is trusted; then those the
 * user has consented to, by content: the entry itself and the project scripts it names. The
 * record is `~/.gemini/trusted_hooks.json`, shared with Gemini CLI, whose own entries
 * (`name:command`) count for a hook until Castor has written its own.
 */

import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { builtin } from '../util/builtin-modules.ts';
import type { HookEntry } from './hook-config.ts';
import { replaceFile } from '../util/replace-file.ts';
import { isRecord } from '../util/is-record.ts';
import { joinSentences } from '../util/join-sentences.ts';

/** `first`: the record has no entry for this project yet. */
export type ConsentState = 'known' | 'first' | 'new' | 'changed';

export interface ConsentOptions {
  /** `trusted_hooks.json`. */
  file: string;
  /** The project's folder, as a real path. */
  root: string;
}

/** Larger scripts are compared by size and time only. */
const LARGEST_SCRIPT = 10 * 1024 * 1024;
const SCRIPT_NAME = /\.(sh|bash|zsh|py|[cm]?[jt]s|rb|pl|php|lua|ps1|bat|cmd)$/i;
const INTERPRETER = /(^|\/)(bash|sh|zsh|dash|python[\d.]*|node|ruby|perl|php|lua|deno|bun|tsx|source|\.)$/;
const OUR_ENTRY = /^sha256:(\S+) (\S+) (.*)$/s;

export class HookConsent {
  private readonly options: ConsentOptions;
  /** Undefined when the file is unreadable: then no consent is known, and none is written. */
  private readonly record: Record<string, string[]> | undefined;
  readonly problem: string | undefined;

  constructor(options: ConsentOptions) {
    this.options = options;
    const read = readRecord(options.file);
    this.record = read.record;
    this.problem = read.problem;
  }

  stateOf(entry: HookEntry): ConsentState {
    const known = this.known();
    if (!known) return this.record ? 'first' : 'new';
    if (known.includes(this.toKey(entry))) return 'known';
    if (this.hasOurs(entry)) return 'changed';
    const { name, command } = entry;
    const isKnownElsewhere = known.includes(`${name}:${command}`) || known.includes(`:${command}`);
    if (isKnownElsewhere) return 'known';
    return known.some((key) => key.startsWith(`${name}:`)) ? 'changed' : 'new';
  }

  /** Consents to these hooks and to no others of the project; keeps Gemini CLI's entries. Throws file-system errors. */
  consent(entries: readonly HookEntry[]): void {
    const { file, root } = this.options;
    if (!this.record) throw new Error(this.problem);
    const foreign = (this.known() ?? []).filter((key) => !OUR_ENTRY.test(key));
    const keys = [...foreign, ...entries.map((entry) => this.toKey(entry))];
    if (JSON.stringify(keys) === JSON.stringify(this.known())) return;
    this.record[root] = keys;
    replaceFile(file, `${JSON.stringify(this.record, null, 2)}\n`);
  }

  private known(): string[] | undefined {
    const { root } = this.options;
    return this.record && Object.hasOwn(this.record, root) ? this.record[root] : undefined;
  }

  private hasOurs({ event, name }: HookEntry): boolean {
    return (this.known() ?? []).some((key) => {
      const [, , ofEvent, ofName] = OUR_ENTRY.exec(key) ?? [];
      return ofEvent === event && ofName === name;
    });
  }

  private toKey(entry: HookEntry): string {
    const { event, matcher, sequential, name, command, timeoutMs, env } = entry;
    const hash = builtin.crypto.createHash('sha256');
    hash.update(JSON.stringify([event, matcher, sequential, name, command, timeoutMs, Object.entries(env)]));
    for (const script of findScripts(command, this.options.root))
      hash.update(`\0${script}\0`).update(readScript(script));
    return `sha256:${hash.digest('hex')} ${event} ${name}`;
  }
}

export interface Admission {
  entries: HookEntry[];
  /** Sentences for the user: which hooks run for the first time, and which do not run. */
  messages: string[];
}

export interface AdmissionOptions {
  isTrusted: boolean;
  /** A flag or a variable trusts the folder for this run, as it is now. */
  isTrustedForRun: boolean;
  /** A sentence on how the user consents. */
  hint?: string | undefined;
  consent: () => HookConsent;
}

/** Leaves out hooks that may not run, reports why, and records the consent to those that run. */
export function admitHooks(entries: readonly HookEntry[], options: AdmissionOptions): Admission {
  const ofProject = entries.filter(({ source, isDisabled }) => source === 'project' && !isDisabled);
  const switchedOff = entries.filter(({ source, isDisabled }) => source === 'project' && isDisabled);
  const others = entries.filter(({ source }) => source !== 'project');
  if (ofProject.length === 0) return { entries: others, messages: [] };
  if (!options.isTrusted) {
    const message = `${ofProject.length} hook(s) of this project do not run, because the folder is not trusted.`;
    return { entries: others, messages: [message] };
  }
  const consent = options.consent();
  const messages = consent.problem === undefined ? [] : [consent.problem];
  const states = new Map(ofProject.map((entry) => [entry, consent.stateOf(entry)]));
  const unsettled = ofProject.filter((entry) => ['new', 'changed'].includes(states.get(entry) ?? 'new'));
  const refused = options.isTrustedForRun ? [] : unsettled;
  const admitted = ofProject.filter((entry) => !refused.includes(entry));
  const fresh = admitted.filter((entry) => states.get(entry) !== 'known');
  if (fresh.length > 0) messages.push(`This project has hooks that run with your permissions: ${list(fresh)}.`);
  if (refused.length > 0) {
    const refusal = `Some hooks of this project are new or changed since your consent and do not run: ${list(refused)}.`;
    messages.push(joinSentences(refusal, options.hint));
  }
  // A user who disables and re-enables a hook need not consent again.
  const asleep = switchedOff.filter((entry) => consent.stateOf(entry) === 'known');
  // Hooks that run only because this run is trusted need consent again in the next.
  if (unsettled.length === 0 && consent.problem === undefined) {
    messages.push(...tryConsent(consent, [...admitted, ...asleep]));
  }
  const allowed = new Set([...others, ...admitted, ...asleep]);
  return { entries: entries.filter((entry) => allowed.has(entry)), messages };
}

function tryConsent(consent: HookConsent, entries: readonly HookEntry[]): string[] {
  try {
    consent.consent(entries);
    return [];
  } catch (error) {
    return [`Recording the consent to these hooks failed: ${getErrorMessage(error)}`];
  }
}

function list(entries: readonly HookEntry[]): string {
  return entries
    .map(({ event, name, command }) => (name === command ? `${event} (${command})` : `${event} ${name} (${command})`))
    .join(', ');
}

function readRecord(file: string): { record?: Record<string, string[]>; problem?: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { record: {} } : { problem: `${file} is not readable: ${getErrorMessage(error)}` };
  }
  const wrong = { problem: `${file} was ignored: it must be a JSON object that maps folders to lists of strings.` };
  try {
    const record: unknown = JSON.parse(text);
    if (!isRecord(record)) return wrong;
    const isWhole = Object.values(record).every(
      (keys) => Array.isArray(keys) && keys.every((key) => typeof key === 'string'),
    );
    return isWhole ? { record: record as Record<string, string[]> } : wrong;
  } catch {
    // The message is the same for every error.
    return wrong;
  }
}

/** The project files that the command visibly runs: files it only reads or writes may change. */
function findScripts(command: string, root: string): string[] {
  const words = command.match(/[^\s'"`;|&()<>]+/g) ?? [];
  const scripts = words.flatMap((word, index) => {
    const path = word.replace(/^\$\{?(GEMINI_PROJECT_DIR|GEMINI_CWD|CLAUDE_PROJECT_DIR)\}?/, () => root);
    const file = resolve(root, path);
    const isRead = INTERPRETER.test(words[index - 1] ?? '');
    return file.startsWith(`${root}${sep}`) && isScript(file, isRead) ? [file] : [];
  });
  return [...new Set(scripts)].toSorted();
}

function isScript(file: string, isRead: boolean): boolean {
  try {
    const stat = statSync(file);
    return stat.isFile() && (isRead || SCRIPT_NAME.test(file) || (stat.mode & 0o111) !== 0);
  } catch {
    // Missing or unreadable: not a script of the project.
    return false;
  }
}

function readScript(path: string): string | Buffer {
  try {
    const real = realpathSync(path);
    const { size, mtimeMs } = lstatSync(real);
    return size > LARGEST_SCRIPT ? `${real} ${size} ${mtimeMs}` : readFileSync(real);
  } catch (error) {
    return `unreadable: ${getErrorMessage(error)}`;
  }
}
