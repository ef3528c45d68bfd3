import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { auditHome, connection } from './audit.fixture.ts';
import { Audit, AuditError, openAudit } from './open-audit.ts';
import { readAuditLines, verifyAudit } from './read-log.ts';
import { actingFor, admitOutgoing } from '../util/outgoing.ts';

const WRITER = fileURLToPath(new URL('./writer.fixture.ts', import.meta.url));

function startWriter(home: string, count: number | 'endless'): ChildProcess {
  return spawn(process.execPath, [WRITER, home, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('several processes', () => {
  it('write one chain: every line of each, in its order', { tags: 'wide' }, async () => {
    using log = auditHome();
    const writers = Array.from({ length: 3 }, () => startWriter(log.home, 20));
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0, 0]);
    expect(verifyAudit(log.home)).toMatchObject({ isIntact: true, problems: [], notes: [] });
    const ports = new Map<number, number[]>();
    for (const { line } of readAuditLines(log.home))
      if (line.kind === 'connection') ports.set(line.pid, [...(ports.get(line.pid) ?? []), line.port]);
    const expected = Array.from({ length: 20 }, (_each, index) => index + 1);
    expect([...ports.values()]).toEqual([expected, expected, expected]);
  });

  it('lose nothing that was written when one is killed, and the log is not taken for a changed one', async () => {
    using log = auditHome();
    const writer = startWriter(log.home, 'endless');
    let told = 0;
    for await (const chunk of writer.stdout!) {
      told = Number(String(chunk).trim().split('\n').at(-1));
      if (told >= 20) break;
    }
    writer.kill('SIGKILL');
    if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
    const audit = new Audit({ home: log.home, onProblem: expect.unreachable });
    audit.record(connection('after.example'));
    await audit.close();
    const lines = [...readAuditLines(log.home)].map(({ line }) => line);
    expect(lines.filter(({ kind }) => kind === 'connection').length).toBeGreaterThan(told);
    expect(verifyAudit(log.home)).toMatchObject({ isIntact: true, problems: [] });
  });
});

describe('a log that cannot be written', () => {
  it('is told once, does not stop the work, and takes the lines when it can be written again', async () => {
    using log = auditHome();
    writeFileSync(`${log.home}/.gemini`, 'in the way');
    const problems: string[] = [];
    const audit = new Audit({ home: log.home, onProblem: (message) => problems.push(message) });
    for (const host of ['a.example', 'b.example']) {
      admitOutgoing({ host, port: 443, why: 'web fetch' });
      await audit.settled();
    }
    expect(problems).toEqual([expect.stringMatching(/^The audit log .+\.gemini\/audit cannot be written: /)]);
    rmSync(`${log.home}/.gemini`);
    await audit.close();
    const hosts = [...readAuditLines(log.home)].flatMap(({ line }) => ('host' in line ? [line.host] : []));
    expect([hosts, problems.length]).toEqual([['a.example', 'b.example'], 1]);
  });

  it('that is required refuses decisions and connections', async () => {
    using log = auditHome();
    const audit = await openAudit({ home: log.home, isRequired: true, onProblem: () => undefined });
    rmSync(`${log.home}/.gemini`, { recursive: true });
    writeFileSync(`${log.home}/.gemini`, 'in the way');
    await expect(audit.recordFirst(connection('a.example'))).rejects.toThrow(AuditError);
    expect(() => admitOutgoing({ host: 'a.example', port: 443, why: 'web fetch' })).toThrow(AuditError);
    await audit.close();
    await expect(openAudit({ home: log.home, isRequired: true, onProblem: () => undefined })).rejects.toThrow(
      AuditError,
    );
  });
});

it('records a connection with the session and the call that make it, across waits', async () => {
  using log = auditHome();
  const audit = new Audit({ home: log.home, onProblem: expect.unreachable });
  await actingFor({ session: 'one' }, () =>
    actingFor({ call: 'two' }, async () => {
      await Promise.resolve();
      admitOutgoing({ host: 'a.example', port: 80, why: 'MCP server', via: 'proxy:3128' });
    }),
  );
  await audit.close();
  admitOutgoing({ host: 'late.example', port: 80, why: 'MCP server' });
  const lines = [...readAuditLines(log.home)].map(({ line }) => line);
  expect(lines).toMatchObject([
    { host: 'a.example', port: 80, why: 'MCP server', via: 'proxy:3128', session: 'one', call: 'two' },
  ]);
});
