import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { auditHome } from './audit.fixture.ts';
import type { AuditHome } from './audit.fixture.ts';
import { readPublicKey } from './audit-keys.ts';
import { exportAudit, verifyExport } from './export-log.ts';
import { readLine } from './chain-line.ts';
import { sha256 } from '../util/sha256.ts';
import { readAuditLines, verifyAudit } from './read-log.ts';

const FIRST = '2026-11-16.jsonl';
const SECOND = '2026-11-17.jsonl';

/** Written once: most of the time goes into its key. */
let template: AuditHome | undefined;
afterAll(() => template?.[Symbol.dispose]());

/** Two days by two processes: lines 1 to 4 with a signature, then 5 to 8. */
function twoDays(): AuditHome {
  template ??= writeTwoDays();
  return auditHome(template.home);
}

function writeTwoDays(): AuditHome {
  const log = auditHome();
  log.append(['a.example', 'b.example', 'c.example'], '2026-11-16', true);
  log.append(['d.example', 'e.example'], '2026-11-17');
  log.append(['f.example'], '2026-11-17', true);
  return log;
}

function changeLines(log: AuditHome, file: string, change: (lines: string[]) => string[]): void {
  log.write(file, `${change(log.read(file).trimEnd().split('\n')).join('\n')}\n`);
}

/** Writes every hash again, as someone without the key can. */
function rechain(lines: readonly string[], prev: string): string[] {
  let last = prev;
  return lines.map((line) => {
    const body = line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '').replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${last}"`);
    last = sha256(body);
    return `${body},"hash":"${last}"}`;
  });
}

describe('a log that was left alone', () => {
  it('is intact over days and processes, signed, and only its owner can read it', () => {
    using log = writeTwoDays();
    expect(verifyAudit(log.home)).toMatchObject({
      isIntact: true,
      lines: 8,
      files: 2,
      signatures: 2,
      problems: [],
      notes: [],
    });
    expect(log.files()).toEqual([FIRST, SECOND]);
    const modes = [log.place.logs, join(log.place.logs, FIRST), log.place.keyFile, log.place.headFile].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('has a signature at least after every hundred lines', () => {
    using log = auditHome();
    for (let index = 0; index < 5; index++) log.append(Array.from({ length: 50 }, () => 'a.example'));
    expect(verifyAudit(log.home)).toMatchObject({ isIntact: true, signatures: 2 });
  });

  it('keeps its order when the clock was set back', () => {
    using log = auditHome();
    log.append(['a.example'], '2026-11-17');
    log.append(['b.example'], '2026-11-16');
    expect([log.files(), verifyAudit(log.home).isIntact]).toEqual([[SECOND], true]);
  });

  it('is empty, and intact, before the first line', () => {
    using log = auditHome();
    expect(verifyAudit(log.home)).toMatchObject({ isIntact: true, lines: 0 });
  });
});

describe('a log that was tampered with', () => {
  const cases: [string, (log: AuditHome) => void, string][] = [
    ['a changed line', (log) => log.write(FIRST, log.read(FIRST).replace('b.example', 'x.example')), 'changed'],
    ['a removed line', (log) => changeLines(log, FIRST, (lines) => lines.toSpliced(1, 1)), 'missing'],
    ['a removed first line', (log) => changeLines(log, FIRST, (lines) => lines.slice(1)), 'missing'],
    ['two lines in another order', (log) => changeLines(log, FIRST, ([a, b, ...rest]) => [b!, a!, ...rest]), 'order'],
    ['a line that was added', (log) => changeLines(log, SECOND, (lines) => [...lines, lines.at(-1)!]), 'order'],
    ['a cut end', (log) => changeLines(log, SECOND, (lines) => lines.slice(0, -2)), 'cut'],
    ['an end cut inside a line', (log) => log.write(SECOND, log.read(SECOND).slice(0, -200)), 'cut'],
    ['a removed last file', (log) => rmSync(join(log.place.logs, SECOND)), 'cut'],
    ['a removed log', (log) => rmSync(log.place.logs, { recursive: true }), 'cut'],
    ['a removed first file', (log) => rmSync(join(log.place.logs, FIRST)), 'missing'],
    [
      'two files that were swapped',
      (log) => {
        renameSync(join(log.place.logs, FIRST), join(log.place.logs, 'kept'));
        renameSync(join(log.place.logs, SECOND), join(log.place.logs, FIRST));
        renameSync(join(log.place.logs, 'kept'), join(log.place.logs, SECOND));
      },
      'order',
    ],
    ['a file of another log', (log) => log.write(FIRST, otherLog()), 'changed'],
    [
      'a changed line with all hashes written again',
      (log) => {
        changeLines(log, SECOND, (lines) => {
          const prev = readLine(lines[0]!)!.line.prev;
          return rechain([lines[0]!.replace('d.example', 'x.example'), ...lines.slice(1)], prev);
        });
      },
      'changed',
    ],
    ['a removed head', (log) => rmSync(log.place.headFile), 'head'],
    [
      'a removed log with its head',
      (log) => {
        rmSync(log.place.logs, { recursive: true });
        rmSync(log.place.headFile);
      },
      'head',
    ],
    ['a head of an earlier state that was edited', (log) => editHead(log), 'head'],
    ['another key', (log) => writeFileSync(log.place.publicKeyFile, otherKey()), 'signature'],
    [
      'words that are no line',
      (log) => changeLines(log, FIRST, ([a, ...rest]) => [a!, 'hello', ...rest]),
      'unreadable',
    ],
  ];

  it.each(cases)('%s', (_name, tamper, kind) => {
    using log = twoDays();
    tamper(log);
    const report = verifyAudit(log.home);
    expect([report.isIntact, report.problems.map((problem) => problem.kind)]).toEqual([
      false,
      expect.arrayContaining([kind]),
    ]);
  });

  it('stays broken when programs go on writing after its end was cut', () => {
    using log = twoDays();
    changeLines(log, SECOND, (lines) => lines.slice(0, -2));
    log.append(['g.example'], '2026-11-18', true);
    const { isIntact, problems } = verifyAudit(log.home);
    expect([isIntact, problems.map(({ says }) => says)]).toEqual([false, ['Lines 7 to 8 are missing before line 9.']]);
  });

  it.each([false, true])(
    'stays broken when programs go on writing after the head was removed, the log too: %s',
    (all) => {
      using log = twoDays();
      rmSync(log.place.headFile);
      if (all) rmSync(log.place.logs, { recursive: true });
      log.append(['g.example']);
      expect(verifyAudit(log.home).problems.map(({ kind }) => kind)).toEqual(['head']);
    },
  );

  it('is not waited for where a pipe is in the place of a file', () => {
    using log = twoDays();
    rmSync(join(log.place.logs, FIRST));
    execFileSync('mkfifo', [join(log.place.logs, FIRST)]);
    expect(() => verifyAudit(log.home)).toThrow('is no file');
  });

  it('is told from one that was noted elsewhere, even where the key signed it', () => {
    using log = twoDays();
    const noted = verifyAudit(log.home).head!.hash;
    log.append(['g.example']);
    expect(verifyAudit(log.home, { anchor: noted }).isIntact).toBe(true);
    rmSync(log.place.logs, { recursive: true });
    rmSync(log.place.headFile);
    // A program that has the key can begin a log as if there had been none.
    const kept = `${log.place.keyFile}.kept`;
    renameSync(log.place.keyFile, kept);
    log.append(['a.example'], '2026-11-16');
    renameSync(kept, log.place.keyFile);
    log.append(['b.example'], '2026-11-16', true);
    expect(verifyAudit(log.home).isIntact).toBe(true);
    expect(verifyAudit(log.home, { anchor: noted }).problems.map(({ kind }) => kind)).toEqual(['anchor']);
  });
});

describe('a line that a killed program left half written', () => {
  it('is noted, is no tampering, and the next program goes on after it', () => {
    using log = twoDays();
    log.write(SECOND, `${log.read(SECOND)}{"seq":9,"at":"2026-11-`);
    expect(verifyAudit(log.home)).toMatchObject({
      isIntact: true,
      lines: 8,
      notes: [expect.stringContaining(`${SECOND}:5`)],
    });
    log.append(['g.example'], '2026-11-17');
    expect(verifyAudit(log.home)).toMatchObject({
      isIntact: true,
      lines: 10,
      notes: [expect.stringContaining(`${SECOND}:5`)],
    });
    log.append(['h.example'], '2026-11-18', true);
    expect(verifyAudit(log.home).isIntact).toBe(true);
  });

  it('is tampering where the program that went on did not find it', () => {
    using log = twoDays();
    changeLines(log, FIRST, ([a, b, ...rest]) => [a!, b!, '{"seq":9', ...rest]);
    expect(verifyAudit(log.home).isIntact).toBe(false);
  });
});

describe('an export', () => {
  it('can be checked on another computer, and shows what was changed', () => {
    using log = twoDays();
    const text = `${[...exportAudit(log.home, {})].join('\n')}\n`;
    expect(verifyExport('a.jsonl', text)).toMatchObject({ isIntact: true, lines: 8 });
    const changed = verifyExport('a.jsonl', text.replace('"host":"b.example"', '"host":"x.example"'));
    expect(changed.problems[0]).toMatchObject({ kind: 'changed', where: 'a.jsonl:3' });
    expect(verifyExport('a.jsonl', text.split('\n').slice(0, -2).join('\n') + '\n').isIntact).toBe(false);
  });

  it('is checked with a key that was kept, whatever key it brings', () => {
    using log = twoDays();
    using other = writeTwoDays();
    const text = `${[...exportAudit(log.home, {})].join('\n')}\n`;
    const key = readPublicKey(other.place.publicKeyFile);
    expect(verifyExport('a.jsonl', text, { key }).isIntact).toBe(false);
  });

  it('with a filter says that it cannot be checked', () => {
    using log = twoDays();
    const lines = [...exportAudit(log.home, { host: 'example', day: '2026-11-17' })];
    expect(lines).toHaveLength(4);
    expect(() => verifyExport('a.jsonl', `${lines.join('\n')}\n`)).toThrow('with a filter');
  });
});

it('finds lines by session, day, host and tool', () => {
  using log = twoDays();
  const hosts = (filter: Parameters<typeof readAuditLines>[1]) =>
    [...readAuditLines(log.home, filter)].flatMap(({ line }) => ('host' in line ? [line.host] : []));
  expect(hosts({ day: '2026-11-17' })).toEqual(['d.example', 'e.example', 'f.example']);
  expect(hosts({ host: 'b.example' })).toEqual(['b.example']);
  expect([hosts({ session: 'one' }).length, hosts({ session: 'two' }), hosts({ tool: 'x' })]).toEqual([6, [], []]);
});

function otherLog(): string {
  using other = writeTwoDays();
  return other.read(FIRST).replaceAll('a.example', 'z.example');
}

function otherKey(): string {
  using other = writeTwoDays();
  return readPublicKey(other.place.publicKeyFile)!.pem;
}

function editHead(log: AuditHome): void {
  const { line } = readLine(log.read(FIRST).split('\n')[3]!)!;
  writeFileSync(
    log.place.headFile,
    JSON.stringify({ seq: line.seq, hash: line.hash, key: 'x', signature: 'AAAA', signedAt: 4 }),
  );
}
