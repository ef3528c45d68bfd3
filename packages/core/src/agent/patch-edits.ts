/** The edits a patch consists of, as the questions that rules on edits answer. */

import type { PolicyQuestion } from '../scheduler/ports.ts';
import { patchedFiles } from '../util/patch-files.ts';

export function editsOfPatch({ args, kind }: PolicyQuestion): PolicyQuestion[] {
  return patchedFiles(args['patch']).map((file) => ({
    toolName: file.kind === 'update' ? 'replace' : 'write_file',
    args: { file_path: file.path },
    kind,
  }));
}
