/** Answers from a recording, and the recording of answers. */

import { createFileAppender, createRecordingGenerator, getErrorMessage, loadReplayGenerator } from '@castor/core';
import type { ContentGenerator } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';

export async function openReplay(path: string, strict: boolean): Promise<ContentGenerator> {
  try {
    return await loadReplayGenerator(path, { strict });
  } catch (error) {
    throw new ExitError(ExitCode.Input, `the recorded responses cannot be used: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}

export function recordTo(path: string, generator: ContentGenerator): ContentGenerator {
  return createRecordingGenerator(generator, createFileAppender(path));
}
