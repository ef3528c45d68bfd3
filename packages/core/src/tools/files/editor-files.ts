/**
 * Files through an editor that has them open: its unsaved text is read instead of the disk, and a change is made in its
 * buffer. Only text: an editor knows no other bytes.
 */

import { getErrorMessage, ToolError } from '../../protocol/errors.ts';
import { detectMediaType } from './media-type.ts';
import { decodeText } from './text-file.ts';

/** What an editor offers; each direction is optional. Paths are absolute and without links. */
export interface EditorFiles {
  /** The text as the editor shows it; undefined where it does not know the file. */
  read?(path: string): Promise<string | undefined>;
  /** Changes the text in the editor and saves it. Rejects when it could not. */
  write?(path: string, text: string): Promise<void>;
}

/** The bytes of the file as the user sees it: those of the disk, unless the editor has unsaved text. */
export async function readThroughEditor(editor: EditorFiles, path: string, onDisk: Buffer): Promise<Buffer> {
  const { kind } = detectMediaType(path, onDisk);
  if (!editor.read || (kind !== 'text' && kind !== 'svg')) return onDisk;
  const text = await editor.read(path);
  // An editor may show other line ends than the file has.
  if (text === undefined || withoutReturns(text) === withoutReturns(decodeText(onDisk).text)) return onDisk;
  return Buffer.from(text.toWellFormed());
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
