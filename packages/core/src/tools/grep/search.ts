/** The query of a search, independent of the engine. */

import type { ChildGuard } from '../run-child.ts';

export interface GrepSearch {
  /** The file or directory, absolute and without links. */
  path: string;
  /** `path`, or the directory of a file: the base of names and globs. */
  directory: string;
  /** The workspace's root. */
  root: string;
  pattern: string;
  /** A glob; without a slash it matches names at any depth. */
  include?: string;
  caseSensitive: boolean;
  fixedStrings: boolean;
  before: number;
  after: number;
  noIgnore: boolean;
  /** Whether .gitignore applies. */
  gitIgnore: boolean;
  excludedDirectories: readonly string[];
  /** With `*` as wildcard. */
  excludedFiles: readonly string[];
  maxPerFile?: number | undefined;
  limit: number;
  namesOnly: boolean;
  /** Filters lines; absent when all match. */
  keepLines?: (lines: readonly string[]) => boolean[];
  /** Whether a file is wanted, by its absolute path without links. */
  keepFile(path: string): boolean;
  timeoutMs: number;
  signal: AbortSignal;
  onPid(pid: number): void;
  guard?: ChildGuard | undefined;
}
