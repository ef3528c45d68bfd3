import { mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReportError } from './report-error.ts';

const NOW = new Date('2026-11-16T01:02:03.004Z');
const NAME = 'gemini-client-error-Turn.run-sendMessageStream-2026-11-16T01-02-03-004Z.json';
const CONTEXT = [{ role: 'user', parts: [{ text: 'hello' }] }];

describe('createReportError', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'castor-report-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const report = () => createReportError({ directory, now: () => NOW });

  it('writes the error and its context to an owner-only file named after the time', async () => {
    await report()(new Error('boom'), 'Error when talking', CONTEXT, 'Turn.run-sendMessageStream');
    const path = join(directory, NAME);
    const written = JSON.parse(await readFile(path, 'utf8')) as { error: { message: string }; context: unknown };
    expect({ message: written.error.message, context: written.context, mode: (await stat(path)).mode & 0o777 }).toEqual(
      {
        message: 'boom',
        context: CONTEXT,
        mode: 0o600,
      },
    );
  });

  it('writes the error alone when the context cannot be stringified', async () => {
    const cyclic: { role: string; parts: unknown[] } = { role: 'user', parts: [] };
    cyclic.parts.push(cyclic);
    await report()(new Error('boom'), 'Error when talking', [cyclic], 'Turn.run-sendMessageStream');
    const written = JSON.parse(await readFile(join(directory, NAME), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(written)).toEqual(['message', 'error']);
  });

  it('never writes through a file or link that is there already', async () => {
    const victim = join(directory, 'victim');
    await writeFile(victim, 'untouched');
    await symlink(victim, join(directory, NAME));
    await report()(new Error('boom'), 'Error when talking', CONTEXT, 'Turn.run-sendMessageStream');
    expect(await readFile(victim, 'utf8')).toBe('untouched');
  });

  it('keeps the newest twenty reports, of whatever kind, and touches nothing else', async () => {
    const days = Array.from({ length: 25 }, (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}`);
    const old = days.map((day, index) => `gemini-client-error-kind${index % 2}-${day}T01-02-03-004Z.json`);
    const others = ['gemini-client-error-notes.txt', 'report.json'];
    for (const name of [...old, ...others]) await writeFile(join(directory, name), '{}');
    await report()(new Error('boom'), 'Error when talking', CONTEXT, 'Turn.run-sendMessageStream');
    expect((await readdir(directory)).toSorted()).toEqual([...old.slice(6), NAME, ...others].toSorted());
  });

  it('stays silent when nothing can be written', async () => {
    const lost = createReportError({ directory: join(directory, 'missing'), now: () => NOW });
    await lost(new Error('boom'), 'Error when talking', CONTEXT, 'Turn.run-sendMessageStream');
    expect(await readdir(directory)).toEqual([]);
  });
});
