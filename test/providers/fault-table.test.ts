/** The fault table: every row over every protocol it names, against an agent over real HTTP. */

import { describe, it } from 'vitest';
import { protocolsOf, runCase } from './fault-case.fixture.ts';
import { PROTOCOLS } from './scene.fixture.ts';
import { CALL_CASES } from './call-cases.ts';
import { ERROR_CASES } from './error-cases.ts';
import { STATE_CASES } from './state-cases.ts';
import { STREAM_CASES } from './stream-cases.ts';
import { WIRE_CASES } from './wire-cases.ts';

const TABLE = [...WIRE_CASES, ...CALL_CASES, ...ERROR_CASES, ...STATE_CASES, ...STREAM_CASES];

describe.each(PROTOCOLS)('%s', (protocol) => {
  const rows = TABLE.filter((row) => protocolsOf(row).includes(protocol));
  it.each(rows.map((row) => [row.id, row.title, row] as const))('%s %s', (_id, _title, row) => runCase(row, protocol));
});
