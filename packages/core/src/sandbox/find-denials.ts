/**
 * Recognises what a sandbox denied to a command by evidence, not by words: the log of the proxy for hosts; for files a line
 * with an error of the system and a path that our own plan made read-only or hid, though the user could use it.
 */

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, isAbsolute, normalize } from 'node:path';
import { isWithin } from './hidden-paths.ts';
import type { NetworkAttempt } from './network/network-log.ts';
import type { Mount, SandboxPlan } from './sandbox-plan.ts';

export interface FileDenial {
  kind: 'write' | 'read';
  path: string;
  /** The nearest folder or file that exists: what a grant opens. */
  offer: string;
}

export interface HostDenial {
  kind: 'host';
  host: string;
  /** 0 where a program only asked for the name. */
  port: number;
  why: string;
  /** No grant would open it. */
  isFinal?: boolean | undefined;
}

export type Denial = FileDenial | HostDenial;

export interface CommandEnd {
  output: string;
  exitCode: number | null;
}

const FILE_ERROR =
  /Read-only file system|EROFS|Permission denied|EACCES|Operation not permitted|EPERM|ENOENT|No such file/i;
const READ_ONLY_ERROR = /Read-only file system|EROFS/i;
/** Paths in messages stand in quotes, after a space or before a colon. */
const PATHS = /(?<=^|[\s'"`(=:‘“])\/[^\s'"`:;,)’”]+/g;
const MAX_LINES = 2000;
const MAX_DENIALS = 5;

export function findDenials(end: CommandEnd, plan: SandboxPlan, attempts: readonly NetworkAttempt[]): Denial[] {
  return [...findHosts(attempts), ...findFiles(end, plan)].slice(0, MAX_DENIALS);
}

function findHosts(attempts: readonly NetworkAttempt[]): HostDenial[] {
  const denied = new Map<string, HostDenial>();
  for (const { host, port, isAllowed, why, isFinal } of attempts)
    if (!isAllowed) denied.set(`${host}:${port}`, { kind: 'host', host, port, why, ...(isFinal && { isFinal }) });
  // A name that was asked for and then reached through the proxy says nothing new.
  return [...denied.values()].filter(
    (each) => each.port > 0 || !attempts.some(({ host, port }) => host === each.host && port > 0),
  );
}

function findFiles({ output, exitCode }: CommandEnd, plan: SandboxPlan): FileDenial[] {
  if (exitCode === 0) return [];
  const found = new Map<string, FileDenial>();
  for (const line of output.split('\n').slice(-MAX_LINES)) {
    const path = deniedPath(line);
    const denial = path && judge(path, plan, READ_ONLY_ERROR.test(line));
    if (denial) found.set(`${denial.kind} ${denial.offer}`, denial);
  }
  return [...found.values()];
}

/** The path next to the error: the first after it, else the last before it. Programs name themselves at the beginning. */
function deniedPath(line: string): string | undefined {
  const error = FILE_ERROR.exec(line);
  if (!error) return undefined;
  const [after] = line.slice(error.index + error[0].length).match(PATHS) ?? [];
  const written = after ?? line.slice(0, error.index).match(PATHS)?.at(-1);
  return written && normalize(written);
}

function judge(path: string, plan: SandboxPlan, isReadOnly: boolean): FileDenial | undefined {
  if (!isAbsolute(path)) return undefined;
  const access = accessOf(plan, path);
  const offer = nearestExisting(path);
  if (access === 'read-only' && isReadOnly && canUse(offer, constants.W_OK)) return { kind: 'write', path, offer };
  if (access === 'hidden' && existsSync(path) && canUse(path, constants.R_OK))
    return { kind: 'read', path, offer: path };
  return undefined;
}

/** How the plan treats a path; the last mount that covers it decides. */
export function accessOf(plan: SandboxPlan, path: string): 'writable' | 'read-only' | 'hidden' {
  let found: Mount | undefined;
  for (const mount of plan.mounts) if (isWithin(path, mount.path)) found = mount;
  if (found?.kind === 'writable') return 'writable';
  return found?.kind === 'read-only' ? 'read-only' : 'hidden';
}

/** The path itself, or the nearest folder above it that exists. */
export function nearestExisting(path: string): string {
  let found = path;
  while (!existsSync(found) && found !== dirname(found)) found = dirname(found);
  return found;
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return path !== '/';
  } catch {
    return false;
  }
}
