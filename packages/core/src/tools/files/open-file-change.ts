/** A FileChange that the first edit loads: the tools that edit are declared in every start. */

import type { FileChange, FileChangeOptions, FileParams } from './file-change.ts';

export function openFileChange<P extends FileParams>(options: FileChangeOptions<P>): FileChange<P> {
  let change: FileChange<P> | undefined;
  async function open(): Promise<FileChange<P>> {
    const { createFileChange } = await import('./file-change.ts');
    return (change ??= createFileChange(options));
  }

  return {
    confirm: async (params, signal) => (await open()).confirm(params, signal),
    modifyArgs(params, newContent) {
      if (!change) throw new Error('Only a shown proposal can be edited.');
      return change.modifyArgs(params, newContent);
    },
    execute: async (params, context) => (await open()).execute(params, context),
  };
}
