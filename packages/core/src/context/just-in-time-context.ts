/**
 * Loads the context files of sub-directories when a tool first touches a path there. Each
 * directory is checked once and each file sent once; ignored folders and folders of
 * third-party packages are skipped.
 */

import { statSync } from 'node:fs';
import path from 'node:path';
import { EXCLUDED_DIRECTORIES } from '../tools/files/search-scope.ts';
import type { ContextFile, ContextFileOptions, FoundContextFile } from './context-files.ts';
import { directoriesBetween, findInDirectory } from './context-files.ts';

export interface JustInTimeOptions extends ContextFileOptions {
  /** The workspace directories; the root first. */
  directories: readonly string[];
  /** The files the model has already received. */
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

  /** The new context files on the way to the path, framed; undefined without any. */
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

  /** Marks directories before the first await, so that concurrent calls send a file once. */
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
    // An unreadable path is treated as a file.
  }
  return path.dirname(touched);
}
