/**
 * Decides which servers of a project may start: none before the folder is trusted; then those the user has consented
 * to, by the fingerprint of their entries. The record is `~/.gemini/trusted_mcp_servers.json`.
 */

import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { replaceFile } from '../util/replace-file.ts';
import { cleanLine } from './clean-text.ts';
import type { McpServer } from './server-config.ts';
import { moveServers, neutralDirectory } from './undecided-folder.ts';

export type ServerConsentState = 'known' | 'new' | 'changed';

type Fingerprints = Record<string, string>;

export class ServerConsent {
  private readonly file: string;
  private readonly root: string;
  /** Undefined when the file is unreadable: then no consent is known, and none is written. */
  private readonly record: Record<string, Fingerprints> | undefined;
  readonly problem: string | undefined;

  /** `root` is the project's folder, as a real path. */
  constructor(file: string, root: string) {
    this.file = file;
    this.root = root;
    const { record, problem } = readRecord(file);
    this.record = record;
    this.problem = problem;
  }

  stateOf({ name, fingerprint }: McpServer): ServerConsentState {
    const known = this.known();
    if (!known || !Object.hasOwn(known, name)) return 'new';
    return known[name] === fingerprint ? 'known' : 'changed';
  }

  /** Consents to these servers and to no others of the project. Throws file-system errors. */
  replace(servers: readonly McpServer[]): void {
    this.write(toFingerprints(servers));
  }

  /** Consents to these servers as well. Throws file-system errors. */
  add(servers: readonly McpServer[]): void {
    this.write({ ...this.known(), ...toFingerprints(servers) });
  }

  private write(fingerprints: Fingerprints): void {
    if (!this.record) throw new Error(this.problem);
    if (JSON.stringify(this.known()) === JSON.stringify(fingerprints)) return;
    this.record[this.root] = fingerprints;
    replaceFile(this.file, `${JSON.stringify(this.record, null, 2)}\n`);
  }

  private known(): Fingerprints | undefined {
    return this.record && Object.hasOwn(this.record, this.root) ? this.record[this.root] : undefined;
  }
}

export function openServerConsent({ home, root }: { home: string; root: string }): ServerConsent {
  return new ServerConsent(join(userDirectory(home), 'trusted_mcp_servers.json'), realpathSync(root));
}

export interface ServerAdmissionOptions {
  /** False: no server starts. Undefined: none of the project, and none in its folder. */
  trustedFolder: boolean | undefined;
  /** A flag or a variable trusts the folder for this run, as it is now. */
  isTrustedForRun: boolean;
  /** A sentence on how the user consents. */
  hint?: string | undefined;
  /** A sentence on how the user trusts the folder. */
  trustHint?: string | undefined;
  /** Names in the settings of a folder that is not trusted. */
  withheld?: readonly string[] | undefined;
  /** Absent: the user has agreed to these entries elsewhere. */
  consent?: (() => ServerConsent) | undefined;
  home: string;
  /** The folder the agent works in. */
  root: string;
}

/** A server of a trusted project that waits for the user's consent. */
export interface UnsettledServer {
  readonly server: McpServer;
  readonly state: 'new' | 'changed';
}

export interface ServerAdmission {
  servers: McpServer[];
  refused: { name: string; message: string }[];
  /** Those of the refused that start once the user consents. */
  unsettled: UnsettledServer[];
  /** Sentences for the user: which servers start without consent, and which do not start. */
  messages: string[];
}

/** Leaves out servers that may not start, and reports why. It records nothing. */
export function admitServers(servers: readonly McpServer[], options: ServerAdmissionOptions): ServerAdmission {
  const { trustedFolder, isTrustedForRun, hint } = options;
  if (trustedFolder === undefined) return admitUndecided(servers, options);
  if (!trustedFolder) return refuseUntrusted(servers, servers, options);
  const ofProject = servers.filter(({ source }) => source === 'project');
  const consent = ofProject.length === 0 ? undefined : options.consent?.();
  if (!consent) return { servers: [...servers], refused: [], unsettled: [], messages: [] };
  const messages = consent.problem === undefined ? [] : [consent.problem];
  const unsettled = ofProject.flatMap((server): UnsettledServer[] => {
    const state = consent.stateOf(server);
    return state === 'known' ? [] : [{ server, state }];
  });
  if (unsettled.length === 0 || isTrustedForRun) {
    const list = unsettled.map(({ server }) => describeServer(server)).join(', ');
    if (list !== '') messages.push(`This project starts MCP servers with your permissions: ${list}.`);
    return { servers: [...servers], refused: [], unsettled: [], messages };
  }
  const list = unsettled.map(({ server, state }) => `${describeServer(server)} [${state}]`).join(', ');
  messages.push(joinSentences(`MCP servers of this project do not start without your consent: ${list}.`, hint));
  const waiting = new Set(unsettled.map(({ server }) => server));
  return {
    servers: servers.filter((server) => !waiting.has(server)),
    refused: unsettled.map(({ server, state }) => {
      const why = state === 'changed' ? 'has changed since your consent' : 'needs your consent';
      return {
        name: server.name,
        message: joinSentences(`The MCP server ${server.name} of this project ${why}.`, hint),
      };
    }),
    unsettled,
    messages,
  };
}

/** Nothing of the folder starts, and nothing of the user in it. */
function admitUndecided(servers: readonly McpServer[], options: ServerAdmissionOptions): ServerAdmission {
  const ofUser = servers.filter(({ source }) => source !== 'project');
  const { servers: started, affected, refused } = moveServers(ofUser, options);
  const left = servers.filter((server) => server.source === 'project' || refused.includes(server));
  const admission = refuseUntrusted(servers, left, options);
  const names = listNames(affected.map(({ name }) => name));
  const sentence = `The folder has no trust decision, so these MCP servers run in ${neutralDirectory(options.home)}, not here: ${names}.`;
  const hint = 'An absolute "cwd" in an entry names another folder.';
  const messages = names === '' ? [] : [joinSentences(sentence, hint, options.trustHint)];
  return { ...admission, servers: started, messages: [...admission.messages, ...messages] };
}

/** Names of a folder that is not trusted are data, and may be many. */
const MOST_NAMES = 10;

function refuseUntrusted(
  servers: readonly McpServer[],
  left: readonly McpServer[],
  { trustedFolder, trustHint, withheld = [] }: ServerAdmissionOptions,
): ServerAdmission {
  const why = trustedFolder === false ? 'the folder is not trusted' : 'the folder has no trust decision';
  const names = [...left.map(({ name }) => name), ...withheld].map((name) => cleanLine(name, 100));
  const sentence = `MCP servers do not start, because ${why}: ${listNames(names)}.`;
  return {
    servers: servers.filter((server) => !left.includes(server)),
    refused: names.map((name) => ({
      name,
      message: joinSentences(`The MCP server ${name} does not start, because ${why}.`, trustHint),
    })),
    unsettled: [],
    messages: names.length > 0 ? [joinSentences(sentence, trustHint)] : [],
  };
}

function listNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function toFingerprints(servers: readonly McpServer[]): Fingerprints {
  return Object.fromEntries(servers.map(({ name, fingerprint }) => [name, fingerprint]));
}

/** `name (what runs)`. */
export function describeServer(server: McpServer): string {
  return `${server.name} (${describeAddress(server)})`;
}

/** What runs or is connected to, and `trust`; for `env` and `headers` the names, because values may be credentials. */
function describeAddress({ address, trust }: McpServer): string {
  const tools = trust ? ['its tools need no approval'] : [];
  if (address.kind !== 'stdio') return [address.url, ...named('headers', address.headers), ...tools].join('; ');
  const { command, args, cwd, env } = address;
  const words = [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  const folder = cwd === undefined ? [] : [`in ${cwd}`];
  return [words.join(' '), ...folder, ...named('env', env), ...tools].join('; ');
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
