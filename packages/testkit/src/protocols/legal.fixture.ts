/** Judges a body without a server, for tables of rules. */

import { Memory } from './memory.ts';
import type { Protocol, ProtocolOptions } from './protocol.ts';

export interface Judged {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: ProtocolOptions;
  readonly memory?: Memory;
}

/** One rule: a request that keeps it, one that breaks it, and the vendor's words (or a part of them). */
export interface RuleCase {
  readonly rule: string;
  readonly legal: object;
  readonly illegal: object;
  readonly words: string;
  readonly status?: number;
  readonly judged?: Judged;
}

/** `status words` for each broken rule. */
export function judge(protocol: Protocol, body: object, judged: Judged = {}): string[] {
  const { path = '', headers = {}, options = {}, memory = new Memory() } = judged;
  const { model, action } = protocol.route('POST', path, body);
  const request = { index: 0, method: 'POST', path, model, action, headers, body, byteLength: 0, connection: 1 };
  return protocol.judge(request, options, memory).map(({ status, message }) => `${status} ${message}`);
}
