/** Decides whether the state of a turn may be sent back: only to the provider, endpoint and model that made it. */

import type { Content } from '../../protocol/content.ts';
import { type Origin, originOf } from '../../protocol/origin.ts';

export interface OriginKey {
  provider: string;
  protocol: string;
  endpoint: string;
  model: string;
}

/** The origin of a turn of the same provider and model; undefined for any other turn. */
export function ownOrigin(content: Content, key: OriginKey): Origin | undefined {
  const origin = originOf(content);
  if (!origin) return undefined;
  const isOwn =
    origin.provider === key.provider &&
    origin.protocol === key.protocol &&
    origin.endpoint === key.endpoint &&
    origin.model === key.model;
  return isOwn ? origin : undefined;
}
