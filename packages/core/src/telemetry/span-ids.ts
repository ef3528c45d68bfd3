/** Ids of traces and spans: random, unguessable, as wide as OpenTelemetry asks. */

import { randomBytes } from 'node:crypto';

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
