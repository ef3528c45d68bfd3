/** Replays answers from a recording, and records answers. */

import { getErrorMessage } from '@castor/core';
import { createFileAppender, createRecordingGenerator, loadReplayGenerator } from '@castor/core/program';
import type { ContentGenerator } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';

export async function openReplay(path: string, strict: boolean): Promise<ContentGenerator> {
  try {
    return await loadReplayGenerator(path, { strict });
  } catch (error) {
    throw new ExitError(ExitCode.Input, `invalid recorded responses: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}

export function recordTo(path: string, generator: ContentGenerator): ContentGenerator {
  return createRecordingGenerator(generator, createFileAppender(path));
}
