/** An answer with sentences for the user in front of it. */

import type { GenerateContentResponse } from '../../protocol/content.ts';
import { releaseOnReturn } from '../release-on-return.ts';

export function toldFirst(
  notices: string[],
  stream: AsyncGenerator<GenerateContentResponse>,
): AsyncGenerator<GenerateContentResponse, void> {
  return releaseOnReturn(startWith(notices, stream), () => void stream.return(undefined));
}

async function* startWith(
  notices: string[],
  stream: AsyncGenerator<GenerateContentResponse>,
): AsyncGenerator<GenerateContentResponse, void> {
  yield { notices };
  yield* stream;
}
