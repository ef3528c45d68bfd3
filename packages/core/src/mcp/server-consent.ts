/**
 * Decides which servers of a project may start: none before the folder is trusted; then those the user has consented
 * to, by the fingerprint of their entries. The record is `~/.gemini/trusted_mcp_servers.json`.
 */

import { readFileSync } from 'node:fs';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { McpServer } from './server-config.ts';

/** `first`: the record has no entry for this project yet. */
export type ServerConsentState = 'known' | 'first' | 'new' | 'changed';

type Fingerprints = Record<string, string>;

export class ServerConsent {
  private readonly file: string;
  private readonly root: string;
  /** Undefined when the file is unreadable: then no consent is known, and none is written. */
  private readonly record: Record<string, Fingerprints> | undefined;
  readonly problem: string | undefined;
  private readonly isRecorded: boolean;

  /** `root` is the project's folder, as a real path. With `isRecorded` false the file is only read. */
  constructor(file: string, root: string, { isRecorded = true } = {}) {
    this.file = file;
    this.root = root;
    this.isRecorded = isRecorded;
    const { record, problem } = readRecord(file);
    this.record = record;
    this.problem = problem;
  }

  stateOf({ name, fingerprint }: McpServer): ServerConsentState {
    const known = this.known();
    if (!known) return this.record ? 'first' : 'new';
    if (!Object.hasOwn(known, name)) return 'new';
    return known[name] === fingerprint ? 'known' : 'changed';
  }

  /** Consents to these servers and to no others of the project. Throws file-system errors. */
  consent(servers: readonly McpServer[]): void {
    if (!this.isRecorded) return;
    if (!this.record) throw new Error(this.problem);
    const fingerprints = Object.fromEntries(servers.map(({ name, fingerprint }) => [name, fingerprint]));
    if (JSON.stringify(this.known()) === JSON.stringify(fingerprints)) return;
    this.record[this.root] = fingerprints;
    replaceFile(this.file, `${JSON.stringify(this.record, null, 2)}\n`);
  }

  /** Consents to one more server, or to its new entry. Without a record the next start consents to all. */
  add({ name, fingerprint }: McpServer): void {
    const known = this.known();
    if (!this.record || !known || known[name] === fingerprint) return;
    this.record[this.root] = { ...known, [name]: fingerprint };
    replaceFile(this.file, `${JSON.stringify(this.record, null, 2)}\n`);
  }

  private known(): Fingerprints | undefined {
    return this.record && Object.hasOwn(this.record, this.root) ? this.record[this.root] : undefined;
  }
}

export interface ServerAdmissionOptions {
  /** False: no server starts. Undefined: none of the project. */
  trustedFolder: boolean | undefined;
  /** A flag or a variable trusts the folder for this run, as it is now. */
  isTrustedForRun: boolean;
  /** A sentence on how the user consents. */
  hint?: string | undefined;
  consent: () => ServerConsent;
}

export interface ServerAdmission {
  servers: McpServer[];
  refused: { server: McpServer; message: string }[];
  /** Sentences for the user: which servers start for the first time, and which do not start. */
  messages: string[];
}

/** Leaves out servers that may not start, reports why, and records the consent to those that start. */
export function admitServers(servers: readonly McpServer[], options: ServerAdmissionOptions): ServerAdmission {
  const { trustedFolder, isTrustedForRun, hint } = options;
  const ofProject = servers.filter(({ source }) => source === 'project');
  if (trustedFolder === false || (trustedFolder === undefined && ofProject.length > 0)) {
    const refused = trustedFolder === false ? servers : ofProject;
    return refuseUntrusted(servers, refused);
  }
  if (ofProject.length === 0) return { servers: [...servers], refused: [], messages: [] };
  const consent = options.consent();
  const messages = consent.problem === undefined ? [] : [consent.problem];
  const states = new Map(ofProject.map((server) => [server, consent.stateOf(server)]));
  const unsettled = ofProject.filter((server) => ['new', 'changed'].includes(states.get(server) ?? 'new'));
  const refused = isTrustedForRun ? [] : unsettled;
  const fresh = ofProject.filter((server) => !refused.includes(server) && states.get(server) !== 'known');
  if (fresh.length > 0) messages.push(`This project starts MCP servers with your permissions: ${list(fresh)}.`);
  if (refused.length > 0) {
    const refusal = `MCP servers of this project are new or changed since your consent and do not start: ${list(refused)}.`;
    messages.push(joinSentences(refusal, hint));
  }
  // Servers that start only because this run is trusted need consent again in the next.
  if (unsettled.length === 0 && consent.problem === undefined) messages.push(...tryConsent(consent, ofProject));
  return {
    servers: servers.filter((server) => !refused.includes(server)),
    refused: refused.map((server) => {
      const why = states.get(server) === 'changed' ? 'changed since your consent' : 'new since your consent';
      return { server, message: joinSentences(`The MCP server ${server.name} of this project is ${why}.`, hint) };
    }),
    messages,
  };
}

function refuseUntrusted(servers: readonly McpServer[], refused: readonly McpServer[]): ServerAdmission {
  const names = refused.map(({ name }) => name).join(', ');
  const sentence = `MCP servers do not start, because the folder is not trusted: ${names}.`;
  return {
    servers: servers.filter((server) => !refused.includes(server)),
    refused: refused.map((server) => ({
      server,
      message: `The MCP server ${server.name} does not start, because the folder is not trusted.`,
    })),
    messages: refused.length > 0 ? [sentence] : [],
  };
}

function tryConsent(consent: ServerConsent, servers: readonly McpServer[]): string[] {
  try {
    consent.consent(servers);
    return [];
  } catch (error) {
    return [`Recording the consent to these MCP servers failed: ${getErrorMessage(error)}`];
  }
}

function list(servers: readonly McpServer[]): string {
  return servers.map((server) => `${server.name} (${describeAddress(server)})`).join(', ');
}

/** What runs or is connected to; for `env` and `headers` the names, because values may be credentials. */
export function describeAddress({ address }: McpServer): string {
  if (address.kind !== 'stdio') return [address.url, ...named('headers', address.headers)].join('; ');
  const { command, args, cwd, env } = address;
  const words = [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return [words.join(' '), ...(cwd === undefined ? [] : [`in ${cwd}`]), ...named('env', env)].join('; ');
}

function named(key: string, values: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(values);
  return names.length === 0 ? [] : [`${key} ${names.join(', ')}`];
}

function readRecord(file: string): { record?: Record<string, Fingerprints>; problem?: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { record: {} } : { problem: `${file} is not readable: ${getErrorMessage(error)}` };
  }
  const wrong = { problem: `${file} was ignored: it must be a JSON object that maps folders to fingerprints by name.` };
  try {
    const record: unknown = JSON.parse(text);
    const isWhole =
      isRecord(record) &&
      Object.values(record).every(
        (known) => isRecord(known) && Object.values(known).every((print) => typeof print === 'string'),
      );
    return isWhole ? { record: record as Record<string, Fingerprints> } : wrong;
  } catch {
    // The message is the same for every error.
    return wrong;
  }
}
