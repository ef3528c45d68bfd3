/**
 * Context files of sub-directories, read when a tool first touches something there. Each
 * directory is looked at once and each file told once; folders that are ignored, and
 * those other people's packages lie in, never speak.
 */

import { statSync } from 'node:fs';
import path from 'node:path';
import { EXCLUDED_DIRECTORIES } from '../tools/files/search-scope.ts';
import type { ContextFile, ContextFileOptions, FoundContextFile } from './context-files.ts';
import { directoriesBetween, findInDirectory } from './context-files.ts';

export interface JustInTimeOptions extends ContextFileOptions {
  /** The workspace directories; the root first. */
  directories: readonly string[];
  /** What the model has read already. */
  loaded: readonly Pick<ContextFile, 'path'>[];
  isIgnoredDirectory?: (directory: string) => boolean;
  isIgnored?: (file: string) => boolean;
  onLoaded?: (files: readonly ContextFile[]) => void;
  onWarning?: ((message: string) => void) | undefined;
}

export class JustInTimeContext {
  private readonly options: JustInTimeOptions;
  private readonly seen = new Set<string>();

  constructor(options: JustInTimeOptions) {
    this.options = options;
    for (const { path: file } of options.loaded) this.seen.add(file);
  }

  /** What the model should know before it goes on there; undefined when it knows. */
  async forPath(touched: string): Promise<string | undefined> {
    const found = this.find(touched);
    if (found.length === 0) return undefined;
    const { assembleFiles } = await import('./context-assembly.ts');
    const { text, files, warnings } = await assembleFiles(found, this.options.importFormat ?? 'tree');
    for (const warning of warnings) this.options.onWarning?.(warning);
    if (text === '') return undefined;
    this.options.onLoaded?.(files);
    return `--- Newly Discovered Project Context ---\n${text}\n--- End Project Context ---`;
  }

  /** Marks before anything is awaited, so that calls side by side tell a file once. */
  private find(touched: string): FoundContextFile[] {
    const { directories } = this.options;
    const root = directories.find((directory) => touched === directory || touched.startsWith(directory + path.sep));
    if (root === undefined) return [];
    const found: FoundContextFile[] = [];
    for (const directory of directoriesBetween(root, directoryOf(touched))) {
      if (this.seen.has(directory)) continue;
      if (directory !== root && this.isForeign(directory)) break;
      this.seen.add(directory);
      found.push(...this.findIn(directory));
    }
    return found;
  }

  private findIn(directory: string): FoundContextFile[] {
    const { directories, isIgnored } = this.options;
    const files = findInDirectory(directory, this.options).filter((file) => !this.seen.has(file) && !isIgnored?.(file));
    return files.map((file) => {
      this.seen.add(file);
      const name = path.relative(directories[0] ?? directory, file);
      return { path: file, kind: 'project', name, allowedRoots: directories };
    });
  }

  private isForeign(directory: string): boolean {
    return (
      EXCLUDED_DIRECTORIES.includes(path.basename(directory)) || (this.options.isIgnoredDirectory?.(directory) ?? false)
    );
  }
}

function directoryOf(touched: string): string {
  try {
    if (statSync(touched, { throwIfNoEntry: false })?.isDirectory()) return touched;
  } catch {
    // What cannot be looked at is taken for a file.
  }
  return path.dirname(touched);
}
