/** Ids of traces and spans: random, unguessable, of the width OpenTelemetry requires. */

import { randomBytes } from 'node:crypto';

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
