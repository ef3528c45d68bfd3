/**
 * Files through an editor that has them open: its unsaved text is read instead of the disk, and a change is made in its
 * buffer. Only text: an editor knows no other bytes.
 */

import { getErrorMessage, ToolError } from '../../protocol/errors.ts';
import { detectMediaType } from './media-type.ts';
import { decodeText } from './text-file.ts';

/** What an editor offers; each direction is optional. Paths are absolute and without links. */
export interface EditorFiles {
  /** The text as the editor shows it; undefined where it does not know the file. Rejects when it could not tell. */
  read?(path: string): Promise<string | undefined>;
  /** Changes the text in the editor and saves it. Rejects when it could not. */
  write?(path: string, text: string): Promise<void>;
  /** Tells the user that the editor could not say whether it has unsaved text. */
  warn?(message: string): void;
}

/** `change`: the content is about to be replaced, so that unsaved text would be lost. */
export type ReadPurpose = 'show' | 'change';

/**
 * The bytes of the file as the user sees it: those of the disk, unless the editor has unsaved text. Throws ToolError
 * before a change of a file whose unsaved text the editor could not tell.
 */
export async function readThroughEditor(
  editor: EditorFiles,
  path: string,
  onDisk: Buffer,
  purpose: ReadPurpose,
): Promise<Buffer> {
  const { kind } = detectMediaType(path, onDisk);
  if (!editor.read || (kind !== 'text' && kind !== 'svg')) return onDisk;
  let text: string | undefined;
  try {
    text = await editor.read(path);
  } catch (error) {
    const problem = `The editor could not read ${path}: ${getErrorMessage(error)}`;
    if (purpose === 'change' && editor.write) {
      throw new ToolError(
        `${problem}. It may have unsaved text, which the change would overwrite, so nothing was written.`,
        'read_content_failure',
        { cause: error },
      );
    }
    editor.warn?.(`${problem}. Castor uses the file on disk, without unsaved text.`);
    return onDisk;
  }
  // An editor may show other line ends than the file has.
  if (text === undefined || withoutReturns(text) === withoutReturns(decodeText(onDisk).text)) return onDisk;
  return Buffer.from(text.toWellFormed());
}

/** The text of a file that the editor has not saved yet; undefined without one. */
export async function readNewThroughEditor(editor: EditorFiles, path: string): Promise<Buffer | undefined> {
  try {
    const text = await editor.read?.(path);
    // Some editors open an empty buffer for any name.
    return text === undefined || text === '' ? undefined : Buffer.from(text.toWellFormed());
  } catch (error) {
    // Whether a file exists that is not on disk is said in too many ways to refuse its creation.
    const problem = `The editor could not say whether it has ${path}, which is not on disk: ${getErrorMessage(error)}`;
    editor.warn?.(`${problem}. Castor treats it as missing.`);
    return undefined;
  }
}

/** False for bytes an editor cannot hold. Throws ToolError when the editor could not write. */
export async function writeThroughEditor(editor: EditorFiles, path: string, bytes: Uint8Array): Promise<boolean> {
  const text = Buffer.from(bytes).toString('utf8');
  if (!editor.write || !Buffer.from(text).equals(bytes)) return false;
  try {
    await editor.write(path, text);
    return true;
  } catch (error) {
    throw new ToolError(`The editor could not write ${path}: ${getErrorMessage(error)}`, 'file_write_failure', {
      cause: error,
    });
  }
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
