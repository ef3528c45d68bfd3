/** Reads what an editor says of itself: its open files, the cursor, the selection, and whether it trusts the folder. Pure. */

import type { IdeState } from '@castor/core';
import { isRecord } from '@castor/core/program';

export interface EditorContext {
  readonly state: IdeState;
  /** Undefined where the editor does not say. */
  readonly isTrusted: boolean | undefined;
}

type IdeFile = NonNullable<IdeState['activeFile']>;

const MAX_FILES = 10;
const MAX_SELECTION = 16_384;
const CUT = '... [TRUNCATED]';

/**
 * The files are data of the editor: bounded, newest first, and only the newest may be active. Undefined for what has
 * another shape.
 */
export function readContext(params: Record<string, unknown>): EditorContext | undefined {
  const { workspaceState = {} } = params;
  if (!isRecord(workspaceState)) return undefined;
  const { openFiles = [], isTrusted } = workspaceState;
  if (!Array.isArray(openFiles)) return undefined;
  const known = openFiles.flatMap((file: unknown) =>
    isRecord(file) && typeof file['path'] === 'string' ? [file] : [],
  );
  if (known.length === 0 && openFiles.length > 0) return undefined;
  const files = known.sort((one, other) => timeOf(other) - timeOf(one)).slice(0, MAX_FILES);
  const [first] = files;
  const activeFile = first?.['isActive'] === true ? toFile(first) : undefined;
  const others = files.slice(activeFile ? 1 : 0).map(({ path }) => String(path));
  return {
    state: { ...(activeFile && { activeFile }), ...(others.length > 0 && { otherOpenFiles: others }) },
    isTrusted: typeof isTrusted === 'boolean' ? isTrusted : undefined,
  };
}

function timeOf({ timestamp }: Record<string, unknown>): number {
  return typeof timestamp === 'number' ? timestamp : 0;
}

function toFile({ path, cursor, selectedText }: Record<string, unknown>): IdeFile {
  const { line, character } = isRecord(cursor) ? cursor : {};
  const hasCursor = typeof line === 'number' && typeof character === 'number';
  return {
    path: String(path),
    ...(hasCursor && { cursor: { line, character } }),
    ...(typeof selectedText === 'string' && selectedText !== '' && { selectedText: cut(selectedText) }),
  };
}

function cut(text: string): string {
  return text.length <= MAX_SELECTION ? text : `${text.slice(0, MAX_SELECTION).toWellFormed()}${CUT}`;
}
