/**
 * Quarantine: finds protected files that a command planted where no mount could protect them, and moves them away before
 * any program loads them. Every moved file is kept and named.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { linkAbove, linksAbove } from './link-above.ts';
import { makeDirectory } from '../util/make-directory.ts';

export interface Quarantined {
  path: string;
  movedTo: string;
}

/** Settings of git that make it run a program or read other settings. */
const GIT_RUNS =
  /^\s*(?:fsmonitor|hookspath|sshcommand|askpass|gitproxy|pager|editor|helper|textconv|command|process|clean|smudge|driver|program|path|cmd|external|uploadpack|receivepack|proxy|insteadof)\s*=|^\s*\[\s*(?:include|includeif|alias|filter|url)\b/im;

export class Quarantine {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** What is there before a command: undefined for absent, else a text that changes with the entry. */
  static look(paths: readonly string[]): Map<string, string | undefined> {
    const find = linksAbove();
    return new Map(paths.map((path) => [path, markOf(path, find)]));
  }

  /** Moves away what appeared or changed; links get their old target back. */
  check(before: ReadonlyMap<string, string | undefined>): Quarantined[] {
    const moved: Quarantined[] = [];
    const now = Quarantine.look([...before.keys()]);
    for (const [path, mark] of before) {
      // What was moved or given back for an earlier path may be all that changed here.
      if (now.get(path) === mark || markOf(path, linkAbove) === mark) continue;
      // Behind a link is a file of another place: the link is what was planted.
      const link = linkAbove(path);
      const planted = link === undefined ? (mark === undefined ? harmfulPartsOf(path) : [path]) : [link];
      for (const each of planted) moved.push(...this.move(each));
      if (mark?.startsWith('link ')) restoreLink(path, mark.slice('link '.length));
    }
    return moved;
  }

  private move(path: string): Quarantined[] {
    try {
      makeDirectory(this.directory);
      const movedTo = join(this.directory, `${builtin.crypto.randomUUID().slice(0, 8)}-${basename(path)}`);
      renameSync(path, movedTo);
      return [{ path, movedTo }];
    } catch {
      return [];
    }
  }
}

function markOf(path: string, find: typeof linkAbove): string | undefined {
  const link = find(path);
  if (link !== undefined) return `behind ${link} ${readlinkSync(link)}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  return `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** A repository that `git init` makes is fine, unless it runs something. */
function harmfulPartsOf(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  const name = basename(path);
  if (name === '.git' && found.isDirectory())
    return ['hooks', 'config', 'config.worktree', 'info/attributes'].flatMap((part) =>
      harmfulPartsOf(join(path, part)),
    );
  if (name === 'hooks' && found.isDirectory()) {
    const files = readdirSync(path).filter((file) => !file.endsWith('.sample'));
    return files.map((file) => join(path, file));
  }
  if (name === 'config' || name === 'config.worktree') {
    const isHarmless = found.isFile() && found.size < 1_000_000 && !GIT_RUNS.test(readFileSync(path, 'utf8'));
    return isHarmless ? [] : [path];
  }
  return [path];
}

function restoreLink(path: string, target: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(target, path);
  } catch {
    // The folder is gone; so is the danger.
  }
}
