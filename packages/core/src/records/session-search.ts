/**
 * Searches all sessions of all projects for words: a plain scan, newest first. It rules out
 * most files by their bytes and replays only those that may match; without an index, no
 * result is stale.
 */

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectRoot, tempRoot } from '../config/project-registry.ts';
import { isSessionFileName } from './session-file.ts';
import { summarizeSession } from './session-list.ts';
import type { SessionSummary } from './session-list.ts';
import { replaySession } from './replay-session.ts';
import { toStoredParts } from './session-parts.ts';
import { toSearchableText } from './searchable-text.ts';

export interface SessionMatch extends SessionSummary {
  /** The project's folder, if known. */
  root: string | undefined;
  /** The number of messages that contain the largest number of the words together. */
  matches: number;
  /** One line around the first matching word. */
  excerpt: string;
}

export interface SearchOptions {
  home: string;
  /** The session must contain all of them; case is ignored. */
  words: readonly string[];
  /** Default 20. */
  limit?: number;
}

const EXCERPT_BEFORE = 40;
const EXCERPT_LENGTH = 140;
/** A longer file is not a user's session. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** Newest first. Skips unreadable files. */
export async function searchSessions({ home, words, limit = 20 }: SearchOptions): Promise<SessionMatch[]> {
  const wanted = words.map((word) => word.trim().toLowerCase()).filter((word) => word !== '');
  const found = new Map<string, SessionMatch>();
  if (wanted.length === 0) return [];
  const patterns = wanted.map(toPattern);
  for (const file of findAllFiles(home)) {
    if (found.size >= limit) break;
    const match = searchFile(file, wanted, patterns);
    if (match && !found.has(match.id)) found.set(match.id, match);
  }
  return [...found.values()];
}

interface DatedFile {
  path: string;
  project: string;
  size: number;
  changedAt: number;
}

function findAllFiles(home: string): DatedFile[] {
  const root = tempRoot(home);
  const files = namesIn(root).flatMap((name) => {
    const project = join(root, name);
    const chats = join(project, 'chats');
    return namesIn(chats)
      .filter(isSessionFileName)
      .flatMap((file) => {
        const path = join(chats, file);
        const stat = statSync(path, { throwIfNoEntry: false });
        return stat?.isFile() ? [{ path, project, size: stat.size, changedAt: stat.mtimeMs }] : [];
      });
  });
  return files.sort((one, other) => other.changedAt - one.changedAt);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A file among the folders, or a project without sessions.
    return [];
  }
}

function searchFile(
  { path, project, size }: DatedFile,
  words: readonly string[],
  patterns: readonly RegExp[],
): SessionMatch | undefined {
  if (size > MAX_BYTES) return undefined;
  const bytes = read(path);
  if (!bytes) return undefined;
  const text = bytes.toString('utf8');
  if (!patterns.every((pattern) => pattern.test(text))) return undefined;
  const { superseded, messages } = replaySession(bytes);
  const texts = [...superseded, ...messages].map(({ content, toolCalls }) => searchableText(content, toolCalls));
  const best = findBest(texts, words);
  const summary = best && summarizeSession(path);
  return summary && { ...summary, ...best, root: readProjectRoot(project) };
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Removed in the meantime, or unreadable.
    return undefined;
  }
}

/** Matches the word in its JSON encoding, ignoring case. */
function toPattern(word: string): RegExp {
  const escaped = JSON.stringify(word).slice(1, -1);
  return new RegExp(escaped.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'iu');
}

function searchableText(content: unknown, toolCalls: unknown): string {
  const own = toStoredParts(content).map(toSearchableText);
  return toolCalls === undefined ? own.join('\n') : [...own, JSON.stringify(toolCalls)].join('\n');
}

/** Undefined when a word occurs only in text the user never saw. */
function findBest(
  texts: readonly string[],
  words: readonly string[],
): { matches: number; excerpt: string } | undefined {
  let most = 0;
  let matches = 0;
  let excerpt = '';
  const seen = new Set<string>();
  for (const text of texts) {
    const lower = text.toLowerCase();
    const here = words.filter((word) => lower.includes(word));
    for (const word of here) seen.add(word);
    if (here.length > most) {
      most = here.length;
      matches = 0;
      excerpt = toExcerpt(text, lower.indexOf(here[0] ?? ''));
    }
    if (here.length === most && most > 0) matches++;
  }
  return seen.size === new Set(words).size ? { matches, excerpt } : undefined;
}

function toExcerpt(text: string, index: number): string {
  const start = Math.max(0, index - EXCERPT_BEFORE);
  const piece = text
    .slice(start, start + EXCERPT_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  return `${start > 0 ? '…' : ''}${piece}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}
