/** What an editor says about a request it could not carry out, in one line. Pure. */

import { isRecord } from '@castor/core/program';
import { makeVisibleLine } from '../make-visible.ts';

/** `message` is the editor's own reason, where it gives one beside the name of the error. */
export function describeEditorFailure(error: unknown): { readonly code: unknown; readonly message: string } {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const details = isRecord(data) ? (data['details'] ?? data['message']) : data;
  return { code, message: makeVisibleLine(typeof details === 'string' && details !== '' ? details : String(message)) };
}
