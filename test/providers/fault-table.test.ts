/** The fault table: every row over every protocol it names, against an agent over real HTTP. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { protocolsOf, runCase } from './fault-case.fixture.ts';
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

describe.each(PROTOCOLS)('%s', (protocol) => {
  const rows = TABLE.filter((row) => protocolsOf(row).includes(protocol));
  it.each(rows.map((row) => [row.id, row.title, row] as const))('%s %s', (_id, _title, row) => runCase(row, protocol));
});

describe('the table', () => {
  it('holds every case of the plan, or the tests beside it do', async () => {
    const here = import.meta.dirname;
    const names = (await readdir(here)).filter((name) => name.endsWith('.ts') && name !== 'fault-table.test.ts');
    const vertex = join(here, '../../packages/core/src/provider/vertex/vertex.test.ts');
    const files = [...names.map((name) => join(here, name)), vertex];
    const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const held = new Set(sources.flatMap((source) => source.match(/\bT\d+\b/g) ?? []));
    const all = Array.from({ length: 72 }, (_, index) => `T${index + 1}`);
    expect(all.filter((id) => !held.has(id))).toEqual([]);
  });

  it('has at least 350 rows', () => {
    expect(TABLE.flatMap(protocolsOf).length).toBeGreaterThanOrEqual(350);
  });
});
