/**
 * ReadLedger: records which content of each file the model knows. Reads and our own writes
 * record the content's fingerprint; before an edit the content on disk is compared with
 * it, so that changes by other processes are never overwritten unseen. Files the model
 * never read are unknown and pass: the edit itself must then quote their content.
 */

import { builtin } from '../../util/builtin-modules.ts';

export class ReadLedger {
  private readonly fingerprints = new Map<string, string>();

  /** Records that the model has seen or written this content. */
  record(realPath: string, content: string): void {
    this.fingerprints.set(realPath, content);
  }

  /** The conversation went back: what the model has seen since counts as never read. */
  clear(): void {
    this.fingerprints.clear();
  }

  /** Whether the content differs from what the model last saw. */
  isStale(realPath: string, content: string): boolean {
    const known = this.fingerprints.get(realPath);
    return known !== undefined && known !== content;
  }

  /** Whether this is exactly the content the model last saw. */
  isKnown(realPath: string, content: string): boolean {
    return this.fingerprints.get(realPath) === content;
  }
}

/** The hash that identifies a content. */
export function fingerprint(bytes: Uint8Array): string {
  return builtin.crypto.hash('sha256', bytes, 'hex');
}
