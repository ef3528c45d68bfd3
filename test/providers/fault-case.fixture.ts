/**
 * One row of the fault table: what a server does, over which protocols, and what the user, the server and the next
 * request must show of it. `runCase` plays a row over one protocol.
 */

import type { Step } from '@castor/testkit';
import { expect } from 'vitest';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { openScene, PROTOCOLS } from './scene.fixture.ts';
import type { RanCall, Scene, SceneOptions, Seen } from './scene.fixture.ts';

type For<T> = T | ((protocol: ProtocolName) => T);

export interface Expected {
  /** The text that remains on the screen. */
  text?: string;
  thoughts?: string;
  /** The calls that ran, in order. */
  ran?: readonly RanCall[];
  /** Requests to the conversation's endpoint. */
  requests?: number;
  retries?: number;
  /** Default `completed`. */
  outcome?: string;
  reason?: string;
  /** Words of the ending's sentence. */
  says?: RegExp;
  notices?: readonly RegExp[];
  /** The least each wait lasts; a wait is at most a fifth longer. */
  waits?: readonly number[];
  /** Whether every request has the same bytes. */
  sameRequest?: boolean;
}

export interface FaultCase {
  /** The row of providers.md section 8 (T) or section 4 (Q), or `wire`. */
  id: string;
  title: string;
  /** Default: every protocol. */
  protocols?: readonly ProtocolName[];
  script: For<readonly Step[]>;
  scene?: For<SceneOptions>;
  /** The prompts, in order. Default one. */
  prompts?: readonly string[];
  expected?: For<Expected>;
  check?(scene: Scene, seen: Seen, all: readonly Seen[]): void | Promise<void>;
}

/** `C`, `R`, `A`, `G`, `O` as in the plan. */
const LETTERS: Readonly<Record<string, ProtocolName>> = {
  C: 'chat',
  R: 'responses',
  A: 'anthropic',
  G: 'gemini',
  O: 'ollama',
};

export function only(letters: string): ProtocolName[] {
  return [...letters].map((letter) => LETTERS[letter]!);
}

export function protocolsOf({ protocols = PROTOCOLS }: FaultCase): readonly ProtocolName[] {
  return protocols;
}

export async function runCase(row: FaultCase, protocol: ProtocolName): Promise<void> {
  await using scene = await openScene(protocol, forProtocol(row.script, protocol), forProtocol(row.scene, protocol));
  const all: Seen[] = [];
  for (const words of row.prompts ?? ['hello']) all.push(await scene.ask(words));
  const seen = all.at(-1)!;
  const expected = forProtocol(row.expected, protocol);
  if (expected) judge(expected, scene, seen);
  await row.check?.(scene, seen, all);
  scene.model.assertDone();
}

function judge(expected: Expected, scene: Scene, seen: Seen): void {
  const { text, thoughts, ran, requests, retries, reason, says, notices, waits, sameRequest } = expected;
  expect([seen.outcome, reason && seen.error?.reason], seen.detail).toEqual([expected.outcome ?? 'completed', reason]);
  if (text !== undefined) expect(seen.text).toBe(text);
  if (thoughts !== undefined) expect(seen.thoughts).toBe(thoughts);
  if (ran !== undefined) expect(scene.ran).toEqual(ran);
  if (requests !== undefined) expect(scene.requests()).toHaveLength(requests);
  if (retries !== undefined) expect(seen.retries).toHaveLength(retries);
  if (says !== undefined) expect(seen.detail).toMatch(says);
  if (notices !== undefined) {
    expect(seen.notices).toHaveLength(notices.length);
    for (const [index, words] of notices.entries()) expect(seen.notices[index]).toMatch(words);
  }
  if (waits !== undefined) {
    expect(seen.waits).toHaveLength(waits.length);
    for (const [index, ms] of waits.entries()) {
      expect(seen.waits[index]).toSatisfy((wait: number) => wait >= ms && wait <= ms * 1.2 + 1);
    }
  }
  if (sameRequest) expect(new Set(scene.requests().map(({ body }) => JSON.stringify(body))).size).toBe(1);
}

function forProtocol<T>(value: For<T>, protocol: ProtocolName): T;
function forProtocol<T>(value: For<T> | undefined, protocol: ProtocolName): T | undefined;
function forProtocol<T>(value: For<T> | undefined, protocol: ProtocolName): T | undefined {
  return typeof value === 'function' ? (value as (protocol: ProtocolName) => T)(protocol) : value;
}
