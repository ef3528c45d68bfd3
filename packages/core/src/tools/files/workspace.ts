/**
 * Workspace: decides which paths the file tools may access. It owns the roots and the
 * decision; it neither asks the user nor knows the policy. A path is checked by its real
 * target, with links followed at every level, and an opened file again by its handle.
 * `checkPath` returns a path without links: open that, not the given name.
 */

import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { openRegularFile, toFileError } from './opened-file.ts';
import type { OpenedFile } from './opened-file.ts';
import type { EditorFiles } from './editor-files.ts';

export type { OpenedFile } from './opened-file.ts';

export interface WorkspaceOptions {
  /** The target directory; relative paths start here. */
  root: string;
  includeDirectories?: readonly string[];
  /** May be read, never written: for example the folders of activated skills. */
  readOnlyDirectories?: readonly string[];
  /** Lists files and folders with credentials, when the first path is checked; inside the directories they are refused. */
  hidden?: () => Promise<readonly string[]>;
  /** Single files outside every directory, for example the user's memory file. */
  files?: readonly string[];
  /** The project's own temporary directory; it need not exist yet. */
  tempDirectory: string;
  ignore?: IgnoreRules;
  /** An editor that has files of the workspace open. */
  editor?: EditorFiles | undefined;
  /** Called before a file of the workspace is read. */
  onOpening?: ((path: string) => void) | undefined;
}

export interface PathCheck {
  /** `write` excludes the read-only directories. */
  access?: 'read' | 'write';
}

interface Roots {
  writable: string[];
  readable: string[];
  files: string[];
}

/** The same limit as Linux. */
const MAX_LINKS = 40;

/**
 * Characters that are invisible in a prompt: controls, direction marks, zero-width and tag
 * characters. Joiners are letters in some scripts and emoji, so they pass between
 * characters that are not ASCII.
 */
const HIDDEN_CHARACTER =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- the pattern matches these characters
  /[\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]|(?<![^\u0000-\u007F])[\u200C\u200D]|[\u200C\u200D](?![^\u0000-\u007F])|\p{Surrogate}/u;

export class Workspace {
  readonly root: string;
  readonly tempDirectory: string;
  readonly ignore: IgnoreRules;
  private readonly editor: EditorFiles | undefined;
  private readonly onOpening: WorkspaceOptions['onOpening'];
  private readonly allDirectories: string[];
  private readonly listHidden: NonNullable<WorkspaceOptions['hidden']>;
  /** Undefined until the first path is checked: most starts check none before the first request. */
  private hidden: readonly string[] | undefined;
  private readonly named: Roots;
  /** Resolved once: a root later replaced by a link does not move the boundary. */
  private readonly real: Roots;

  constructor(options: WorkspaceOptions) {
    this.root = path.resolve(options.root);
    this.allDirectories = [
      this.root,
      ...(options.includeDirectories ?? []).map((each) => path.resolve(this.root, each)),
    ];
    this.tempDirectory = path.resolve(options.tempDirectory);
    this.ignore = options.ignore ?? IgnoreRules.none();
    this.editor = options.editor;
    this.onOpening = options.onOpening;
    this.named = {
      writable: [...this.allDirectories, this.tempDirectory],
      readable: (options.readOnlyDirectories ?? []).map((each) => path.resolve(this.root, each)),
      files: (options.files ?? []).map((each) => path.resolve(this.root, each)),
    };
    this.listHidden = options.hidden ?? (async () => []);
    this.real = {
      writable: this.named.writable.map(realPathOfExisting),
      readable: this.named.readable.map(realPathOfExisting),
      files: this.named.files.map(realPathOfExisting),
    };
  }

  /** The root, then the included directories, as they were named; always the same list object, which may grow. */
  get directories(): readonly string[] {
    return this.allDirectories;
  }

  /** Adds a directory the user names, with the same rights as the others. Returns its name; throws Error with a message. */
  addDirectory(given: string): string {
    const directory = path.resolve(this.root, given);
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new Error(`${directory} is not a directory.`);
    }
    if (this.allDirectories.includes(directory)) throw new Error(`${directory} is already in the workspace.`);
    this.allDirectories.push(directory);
    // The temporary directory stays last.
    this.named.writable.splice(-1, 0, directory);
    this.real.writable.splice(-1, 0, realPathOfExisting(directory));
    return directory;
  }

  /** Adds a directory whose files may be read, never written; for example the folder of an activated skill. */
  addReadOnlyDirectory(given: string): void {
    const directory = path.resolve(this.root, given);
    if (this.named.readable.includes(directory)) return;
    this.named.readable.push(directory);
    this.real.readable.push(realPathOfExisting(directory));
  }

  /** The path as an absolute name. Neither accesses the disk nor grants access. */
  resolve(given: string): string {
    return path.resolve(this.root, given.replaceAll('\0', '').replace(/^@(?=.)/, ''));
  }

  /**
   * The path without links; the file need not exist. Throws ToolError when the path leads
   * out of the workspace or cannot be resolved.
   */
  async checkPath(given: string, { access = 'read' }: PathCheck = {}): Promise<string> {
    const absolute = this.resolve(given);
    refuseHiddenCharacters(absolute);
    let real: string;
    try {
      real = followLinks(absolute);
    } catch (error) {
      throw toFileError(error, absolute, 'path_not_in_workspace');
    }
    if (!isPermitted(this.real, real, access)) throw this.outside(absolute, real, access);
    this.hidden ??= await this.findHidden();
    if (this.isHidden(real)) throw describeHidden(absolute);
    return real;
  }

  /** A workspace inside such a folder is the user's choice. */
  private async findHidden(): Promise<string[]> {
    const isInside = (secret: string) => this.allDirectories.some((each) => each !== secret && contains(each, secret));
    return (await this.listHidden()).filter(isInside).map(realPathOfExisting);
  }

  /** Whether a path without links holds credentials; the project's own temporary files do not. Only after `checkPath`. */
  isHidden(realPath: string): boolean {
    if (!this.hidden) throw new Error('A workspace knows its hidden files once a path was checked.');
    if (!this.hidden.some((each) => contains(each, realPath))) return false;
    return !contains(this.real.writable.at(-1)!, realPath) && !this.real.files.includes(realPath);
  }

  /** Opens a regular file of the workspace. The caller closes it. */
  async openForReading(given: string): Promise<OpenedFile> {
    const opened = openRegularFile(await this.checkPath(given));
    if (!isPermitted(this.real, opened.path, 'read')) {
      opened.close();
      throw this.outside(this.resolve(given), opened.path, 'read');
    }
    if (this.isHidden(opened.path)) {
      opened.close();
      throw describeHidden(this.resolve(given));
    }
    this.onOpening?.(opened.path);
    return opened;
  }

  /** Whether the name lies in the workspace, without following links: for sorting and display, not for granting access. */
  isInside(given: string): boolean {
    const absolute = this.resolve(given);
    return isPermitted(this.named, absolute, 'read') || isPermitted(this.real, absolute, 'read');
  }

  /** Whether a path without links, from `checkPath` or a handle, may be written. */
  isWritable(realPath: string): boolean {
    return isPermitted(this.real, realPath, 'write');
  }

  /** The editor, for a path without links that is one of the user's files; the project's own temporary files are ours. */
  editorFor(realPath: string): EditorFiles | undefined {
    if (!this.editor) return undefined;
    const ours = this.real.writable.at(-1)!;
    return this.isWritable(realPath) && !contains(ours, realPath) && !this.real.files.includes(realPath)
      ? this.editor
      : undefined;
  }

  /** The name for display: relative when inside the root, otherwise absolute. */
  relative(given: string): string {
    const absolute = this.resolve(given);
    for (const root of [this.root, this.real.writable[0]!]) {
      if (contains(root, absolute)) return path.relative(root, absolute) || '.';
    }
    return absolute;
  }

  private outside(absolute: string, real: string, access: 'read' | 'write'): ToolError {
    const { writable, readable, files } = this.named;
    const leads = real === absolute ? '' : ` (it leads to "${real}")`;
    const isReadOnly = access === 'write' && isPermitted(this.real, real, 'read');
    if (isReadOnly)
      return new ToolError(
        `Path not in workspace: "${absolute}"${leads} may be read and not changed.`,
        'path_not_in_workspace',
      );
    const roots = [...new Set([...this.directories, ...(access === 'read' ? readable : []), ...files])].join(', ');
    return new ToolError(
      `Path not in workspace: Attempted path "${absolute}"${leads} resolves outside the allowed workspace directories: ${roots} or the project temp directory: ${writable.at(-1)}`,
      'path_not_in_workspace',
    );
  }
}

function describeHidden(absolute: string): ToolError {
  return new ToolError(
    `${absolute} holds credentials of the user, which tools do not access. If the task needs it, ask the user to allow it: castor sandbox allow --read ${absolute}`,
    'permission_denied',
  );
}

function isPermitted(roots: Roots, candidate: string, access: 'read' | 'write'): boolean {
  const directories = access === 'read' ? [...roots.writable, ...roots.readable] : roots.writable;
  return directories.some((root) => contains(root, candidate)) || roots.files.includes(candidate);
}

function contains(root: string, candidate: string): boolean {
  return candidate === root || candidate.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

function refuseHiddenCharacters(absolute: string): void {
  const hidden = HIDDEN_CHARACTER.exec(absolute);
  if (hidden === null) return;
  const code = hidden[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  throw new ToolError(
    `The path contains an invisible character (U+${code} at position ${hidden.index + 1}): ${JSON.stringify(absolute.replaceAll(new RegExp(HIDDEN_CHARACTER, 'gu'), '\uFFFD'))}`,
    'invalid_tool_params',
  );
}

/** The real path of the deepest existing ancestor plus the remaining segments; dangling links are followed too. */
function followLinks(absolute: string): string {
  let current = absolute;
  let rest: string[] = [];
  let links = 0;
  for (;;) {
    try {
      return path.join(realpathSync.native(current), ...rest);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const target = readDanglingLink(current);
    if (target === undefined) {
      rest = [path.basename(current), ...rest];
      current = path.dirname(current);
      continue;
    }
    if (++links > MAX_LINKS) {
      throw Object.assign(new Error(`Too many symbolic links: ${absolute}`), { code: 'ELOOP' });
    }
    // The link's own directory must be resolved before `..` in its target is applied.
    current = path.resolve(followLinks(path.dirname(current)), target);
  }
}

function readDanglingLink(name: string): string | undefined {
  try {
    return lstatSync(name).isSymbolicLink() ? readlinkSync(name) : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}

function realPathOfExisting(absolute: string): string {
  let current = absolute;
  let rest: string[] = [];
  for (;;) {
    try {
      return path.join(realpathSync.native(current), ...rest);
    } catch {
      // A missing path is resolved by name below its deepest existing directory.
      if (path.dirname(current) === current) return absolute;
      rest = [path.basename(current), ...rest];
      current = path.dirname(current);
    }
  }
}
