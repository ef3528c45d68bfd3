/**
 * The fault table: every row over every protocol it names, against an agent over real HTTP. In the short form a row that
 * names most protocols runs over every second of them, the next row over the others; what has a case of its own in the
 * plan still has one for each protocol.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { only, protocolsOf, runCase } from './fault-case.fixture.ts';
import type { FaultCase } from './fault-case.fixture.ts';
import { BESIDE, IMPOSSIBLE, PLAN } from './plan.fixture.ts';
import { PROTOCOLS } from './scene.fixture.ts';
import { CALL_CASES } from './call-cases.ts';
import { ERROR_CASES } from './error-cases.ts';
import { QUIRK_CASES } from './quirk-cases.ts';
import { READING_CASES } from './reading-cases.ts';
import { STATE_CASES } from './state-cases.ts';
import { STREAM_CASES } from './stream-cases.ts';
import { TEXT_CALL_CASES } from './text-call-cases.ts';
import { WIRE_CASES } from './wire-cases.ts';

const TABLE = [
  ...WIRE_CASES,
  ...CALL_CASES,
  ...TEXT_CALL_CASES,
  ...ERROR_CASES,
  ...STATE_CASES,
  ...STREAM_CASES,
  ...READING_CASES,
  ...QUIRK_CASES,
];

/** Rows for fewer protocols are about what only these do. */
const MOST = 3;

function rowsOver(protocol: (typeof PROTOCOLS)[number]): FaultCase[] {
  const seen = new Set<string>();
  return TABLE.filter((row, index) => {
    const protocols = protocolsOf(row);
    if (!protocols.includes(protocol)) return false;
    const isFirst = !seen.has(row.id);
    const isInSample = protocols.length < MOST || (index + PROTOCOLS.indexOf(protocol)) % 4 === 0;
    const isTaken = inject('isEndurance') || isFirst || isInSample;
    if (isTaken) seen.add(row.id);
    return isTaken;
  });
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  const rows = rowsOver(protocol);
  it.each(rows.map((row) => [row.id, row.title, row] as const))('%s %s', (_id, _title, row) => runCase(row, protocol));
});

describe('the table', () => {
  it('holds every case of the plan for every protocol it names, or the tests beside it do', () => {
    expect(PLAN.size).toBe(72);
    const missing = [...PLAN].flatMap(([id, letters]) => {
      const held = new Set([
        ...TABLE.filter((row) => row.id === id).flatMap(protocolsOf),
        ...only(`${BESIDE[id]?.letters ?? ''}${IMPOSSIBLE[id]?.letters ?? ''}`),
      ]);
      return only(letters).flatMap((protocol) => (held.has(protocol) ? [] : [`${id} ${protocol}`]));
    });
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(BESIDE))('has %s in the file that is named for it', async (id, { file }) => {
    const source = await readFile(join(import.meta.dirname, file), 'utf8');
    expect(source).toMatch(new RegExp(`\\('[^'\n]*\\b${id}\\b`));
  });

  it('has at least 350 rows', () => {
    expect(TABLE.flatMap(protocolsOf).length).toBeGreaterThanOrEqual(350);
  });
});
