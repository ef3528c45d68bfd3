/**
 * Finds, searches and converts the sessions of Claude Code and codex. Their files are only read; a session that the user
 * resumes becomes a session of our own.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Content } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import { isRecord } from '../util/is-record.ts';
import { shorten, toOneLine } from '../util/short-text.ts';
import { describeClaudeSession, readClaudeSession } from './read-claude-session.ts';
import { describeCodexSession, readCodexSession } from './read-codex-session.ts';
import { createSessionFrom } from './session-copy.ts';
import { toSearchableText } from './searchable-text.ts';
import { SessionError } from './session-error.ts';

export type ForeignAgentName = 'claude' | 'codex';

export interface ForeignSession {
  agent: ForeignAgentName;
  id: string;
  title: string;
  /** Milliseconds since the epoch. */
  lastUpdated: number;
  /** The folder it was about, if known. */
  root: string | undefined;
  path: string;
}

export interface ForeignMatch extends ForeignSession {
  excerpt: string;
}

type Line = Readonly<Record<string, unknown>>;

interface Agent {
  folder: readonly string[];
  /** Folders below, at most. */
  depth: number;
  isFile(name: string): boolean;
  describe(lines: readonly Line[]): { title?: string; root?: string; id?: string };
  read(lines: readonly Line[]): Content[];
}

const AGENTS: Readonly<Record<ForeignAgentName, Agent>> = {
  claude: {
    folder: ['.claude', 'projects'],
    depth: 1,
    // `agent-…` are sub-agents.
    isFile: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
    describe: describeClaudeSession,
    read: readClaudeSession,
  },
  codex: {
    folder: ['.codex', 'sessions'],
    depth: 3,
    isFile: (name) => /^rollout-.*\.jsonl$/.test(name),
    describe: describeCodexSession,
    read: readCodexSession,
  },
};

const HEAD_BYTES = 256 * 1024;
const MOST_BYTES = 512 * 1024 * 1024;
const MOST_FILES = 2000;
const LONGEST_TITLE = 100;
const EXCERPT = 140;

/** Of one folder, or of all; oldest first. Skips unreadable files. */
export function listForeignSessions(agent: ForeignAgentName, home: string, root?: string): ForeignSession[] {
  const found = findFiles(agent, home).flatMap((file) => summarize(agent, file) ?? []);
  return found
    .filter((session) => root === undefined || session.root === root)
    .toSorted((one, other) => one.lastUpdated - other.lastUpdated);
}

/** Newest first. All words must occur; case is ignored. */
export function searchForeignSessions(
  agent: ForeignAgentName,
  { home, words, limit }: { home: string; words: readonly string[]; limit: number },
): ForeignMatch[] {
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => word !== '');
  const matches: ForeignMatch[] = [];
  for (const session of listForeignSessions(agent, home).toReversed()) {
    if (matches.length >= limit || wanted.length === 0) break;
    const text = AGENTS[agent]
      .read(readLines(session.path))
      .flatMap(({ parts = [] }) => parts.map(toSearchableText))
      .join('\n');
    const folded = text.toLowerCase();
    if (!wanted.every((word) => folded.includes(word))) continue;
    const at = Math.max(0, folded.indexOf(wanted[0] ?? '') - 40);
    matches.push({ ...session, excerpt: toOneLine(text.slice(at, at + EXCERPT)) });
  }
  return matches;
}

/** `latest`, an id or its beginning, or the number in the list of the folder. Throws SessionError. */
export function findForeignSession(
  agent: ForeignAgentName,
  wanted: string,
  { home, root }: { home: string; root: string },
): ForeignSession {
  const here = listForeignSessions(agent, home, root);
  const word = wanted.trim();
  if (word === '' || word === 'latest') {
    const latest = here.at(-1);
    if (latest) return latest;
    throw new SessionError('not_found', `There is no session of ${agent} for this folder.`);
  }
  const byNumber = /^\d{1,4}$/.test(word) ? here[Number(word) - 1] : undefined;
  if (byNumber) return byNumber;
  const found = listForeignSessions(agent, home).filter(({ id }) => id === word || id.startsWith(word));
  if (found.length === 1 && word.length >= 6) return found[0]!;
  const many = found.length > 1 ? ' It is ambiguous; write more of the id.' : '';
  const named = `${agent}:${wanted}`;
  throw new SessionError('not_found', `Invalid session identifier "${named}".${many}`, { wanted: named });
}

export function readForeignHistory({ agent, path }: Pick<ForeignSession, 'agent' | 'path'>): Content[] {
  return AGENTS[agent].read(readLines(path));
}

/** Writes it as a new session of our own and returns that id. Throws SessionError. */
export async function convertForeignSession(
  session: ForeignSession,
  options: { home: string; root: string; clock?: Clock | undefined },
): Promise<string> {
  const history = readForeignHistory(session);
  if (history.length === 0) throw new SessionError('invalid', `${session.path} contains no conversation.`);
  const { clock, ...project } = options;
  return createSessionFrom(
    history,
    { ...project, ...(clock && { clock }) },
    { forkedFrom: `${session.agent}:${session.id}`, summary: session.title },
  );
}

interface DatedFile {
  path: string;
  changedAt: number;
}

/** The newest ones. */
function findFiles(agent: ForeignAgentName, home: string): DatedFile[] {
  const { folder, depth, isFile } = AGENTS[agent];
  const paths = walk(join(home, ...folder), depth).filter((path) => isFile(basename(path)));
  const dated = paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? [{ path, changedAt: stat.mtimeMs }] : [];
  });
  return dated.toSorted((one, other) => other.changedAt - one.changedAt).slice(0, MOST_FILES);
}

function walk(folder: string, depth: number): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? walk(path, depth - 1) : [];
      return entry.isFile() ? [path] : [];
    });
  } catch {
    // The user does not have that agent.
    return [];
  }
}

/** Undefined for a file without a prompt of the user. */
function summarize(agent: ForeignAgentName, { path, changedAt }: DatedFile): ForeignSession | undefined {
  const { title, root, id } = AGENTS[agent].describe(toLines(readHead(path)));
  if (title === undefined) return undefined;
  const fromName = basename(path, '.jsonl').replace(/^rollout-[\dT-]{19}-?/, '');
  return {
    agent,
    id: id ?? fromName,
    title: shorten(toOneLine(title), LONGEST_TITLE),
    lastUpdated: changedAt,
    root,
    path,
  };
}

function readHead(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) return '';
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, HEAD_BYTES, 0));
  } catch {
    // Removed in the meantime, or unreadable.
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readLines(path: string): Line[] {
  try {
    if (statSync(path).size > MOST_BYTES) return [];
    return toLines(readFileSync(path, 'utf8'));
  } catch {
    // As for the list: an unreadable file has no sessions.
    return [];
  }
}

/** Damaged and unfinished lines are left out. */
function toLines(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
