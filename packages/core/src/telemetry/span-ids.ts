/** Ids of traces and spans: random, unguessable, of the width OpenTelemetry requires. */

import { builtin } from '../util/builtin-modules.ts';

export function newTraceId(): string {
  return builtin.crypto.randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return builtin.crypto.randomBytes(8).toString('hex');
}
