/**
 * ReadLedger: what the model knows of each file. Reading and our own writing enter the
 * content's fingerprint; before an edit the content on disk is compared with it, so
 * that what others wrote since is never overwritten unseen. Files the model never read
 * are unknown and pass: the edit itself must then name their content.
 */

import { builtin } from '../../util/builtin-modules.ts';

export class ReadLedger {
  private readonly fingerprints = new Map<string, string>();

  /** The model has seen the content with this fingerprint, or written it. */
  record(realPath: string, content: string): void {
    this.fingerprints.set(realPath, content);
  }

  /** Whether the content differs from what the model last saw. */
  isStale(realPath: string, content: string): boolean {
    const known = this.fingerprints.get(realPath);
    return known !== undefined && known !== content;
  }

  /** Whether this is the very content the model last saw. */
  isKnown(realPath: string, content: string): boolean {
    return this.fingerprints.get(realPath) === content;
  }
}

/** What a content is recognised by. */
export function fingerprint(bytes: Uint8Array): string {
  return builtin.crypto.hash('sha256', bytes, 'hex');
}
