/**
 * A generator's stream that can be taken in bursts as well. It is read in one way or
 * in the other, never in both.
 */

import type { GenerateContentResponse } from '../protocol/content.ts';
import { oneByOne, splitBursts } from '../util/bursts.ts';
import { releaseOnReturn } from './release-on-return.ts';

type Bursts = AsyncGenerator<readonly GenerateContentResponse[], void>;

interface BurstStream extends AsyncGenerator<GenerateContentResponse, void> {
  readonly bursts: Bursts;
}

/** After an abort the bursts must end with it: what a consumer has not seen by then is dropped. */
export function toBurstStream(bursts: Bursts, signal: AbortSignal | undefined): BurstStream {
  const stream = releaseOnReturn(splitBursts(bursts, signal), () => void bursts.return());
  return Object.assign(stream, { bursts });
}

/** The frames that arrived together; each alone where the generator does not tell. */
export function burstsOf(stream: AsyncGenerator<GenerateContentResponse, void> | BurstStream): Bursts {
  return 'bursts' in stream ? stream.bursts : oneByOne(stream);
}
