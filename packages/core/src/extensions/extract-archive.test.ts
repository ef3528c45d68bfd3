import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { writeTar, writeZip } from './archive.fixture.ts';
import type { TarEntry, ZipEntry } from './archive.fixture.ts';
import { ARCHIVE_LIMITS } from './archive-entry.ts';
import { extractArchive } from './extract-archive.ts';

const { signal } = new AbortController();
const LIMITS = { archiveBytes: 1_000_000, bytes: 400_000, entries: 5, ratio: 10, smallBytes: 100_000 };

describe('an archive of an extension', () => {
  it.each(['tar.gz', 'zip'] as const)(
    'of the usual programs is unpacked with its programs and links: %s',
    async (format) => {
      await using workspace = await createWorkspace({
        files: { 'in/a/run.sh': 'echo hi', 'in/b.txt': 'text', [`in/${'deep/'.repeat(30)}c`]: 'c' },
      });
      const { project } = workspace;
      execFileSync('sh', ['-c', 'chmod +x in/a/run.sh && ln -s ../b.txt in/a/link'], { cwd: project });
      const file = join(project, `x.${format}`);
      const pack = format === 'zip' ? ['zip', '-qry', file, '.'] : ['tar', 'czf', file, '.'];
      execFileSync(pack[0]!, pack.slice(1), { cwd: join(project, 'in') });
      const out = join(project, 'out');
      await extractArchive(file, format, out, { signal });
      expect(readFileSync(join(out, 'a/run.sh'), 'utf8')).toBe('echo hi');
      expect(lstatSync(join(out, 'a/run.sh')).mode & 0o777).toBe(0o755);
      expect(readlinkSync(join(out, 'a/link'))).toBe('../b.txt');
      expect(readFileSync(join(out, `${'deep/'.repeat(30)}c`), 'utf8')).toBe('c');
    },
  );

  it.each<[string, TarEntry[], RegExp]>([
    ['leaves its folder', [{ path: '../evil' }], /leaves the archive/],
    ['leaves it in the middle', [{ path: 'a/../../evil' }], /leaves the archive/],
    ['has an absolute path', [{ path: '/tmp/evil' }], /absolute/],
    ['has a name of Windows', [{ path: 'a\\..\\..\\evil' }], /name is invalid/],
    ['has a drive', [{ path: 'C:/evil' }], /name is invalid/],
    ['links out', [{ path: 'a', kind: '2', target: '../../etc' }], /outside the extension/],
    ['links to an absolute path', [{ path: 'a', kind: '2', target: '/etc/passwd' }], /outside the extension/],
    [
      'links out through a link',
      [
        { path: 'a', kind: '2', target: '.' },
        { path: 'b', kind: '2', target: 'a/../..' },
      ],
      /outside/,
    ],
    [
      'writes through a link',
      [
        { path: 'a', kind: '2', target: '.' },
        { path: 'a/evil', text: 'x' },
      ],
      /a is not a folder/,
    ],
    [
      'replaces a file',
      [
        { path: 'a', text: '1' },
        { path: 'A', text: '2' },
      ],
      /same name/,
    ],
    [
      'replaces a link',
      [
        { path: 'a', kind: '2', target: 'b' },
        { path: 'a', text: '2' },
      ],
      /same name/,
    ],
    ['has a hard link', [{ path: 'a', kind: '1', target: '/etc/passwd' }], /a hard link/],
    ['has a device', [{ path: 'a', kind: '3' }], /a device/],
    ['has a pipe', [{ path: 'a', kind: '6' }], /a named pipe/],
    [
      'has a long name that leaves',
      [{ path: 'x', kind: 'x', text: '17 path=../evil\n\n' }, { path: 'fine' }],
      /leaves the archive/,
    ],
    ['has too many entries', Array.from({ length: 6 }, (_, index) => ({ path: `f${index}` })), /more than 5 entries/],
    ['is a bomb', [{ path: 'a', text: Buffer.alloc(300_000) }], /more than 10 times/],
    [
      'is too large',
      [{ path: 'a', text: Buffer.from(Array.from({ length: 500_000 }, (_, index) => (index * 7919) % 251)) }],
      /more than (?:10 times|400000 bytes)/,
    ],
  ])('is rejected when an entry of a tar %s', async (_, entries, words) => {
    await using workspace = await createWorkspace();
    const file = writeTar(join(workspace.project, 'x.tar.gz'), entries);
    const work = extractArchive(file, 'tar.gz', join(workspace.project, 'out'), { signal, limits: LIMITS });
    await expect(work).rejects.toThrow(words);
    expect(existsSync(join(workspace.project, 'evil'))).toBe(false);
  });

  it.each<[string, ZipEntry[], RegExp]>([
    ['leaves its folder', [{ path: '../evil' }], /leaves the archive/],
    ['has an absolute path', [{ path: '/tmp/evil' }], /absolute/],
    ['links out', [{ path: 'a', mode: 0o120_777, text: '../../etc' }], /outside the extension/],
    ['is a device', [{ path: 'a', mode: 0o060_644 }], /a device or a pipe/],
    [
      'is larger than it states',
      [{ path: 'a', text: Buffer.alloc(50_000), claimedSize: 10 }],
      /larger than the archive states/,
    ],
    ['is a bomb', [{ path: 'a', text: Buffer.alloc(300_000) }], /more than 10 times/],
  ])('is rejected when an entry of a zip %s', async (_, entries, words) => {
    await using workspace = await createWorkspace();
    const file = writeZip(join(workspace.project, 'x.zip'), entries);
    const work = extractArchive(file, 'zip', join(workspace.project, 'out'), { signal, limits: LIMITS });
    await expect(work).rejects.toThrow(words);
  });

  it.each(['tar.gz', 'zip'] as const)('that is cut off, empty or no archive is an error: %s', async (format) => {
    await using workspace = await createWorkspace();
    const { project } = workspace;
    const file = join(project, `x.${format}`);
    const write = format === 'zip' ? writeZip : writeTar;
    write(file, [{ path: 'a', text: 'x'.repeat(10_000) }]);
    const whole = readFileSync(file);
    for (const [index, bytes] of [
      whole.subarray(0, whole.length - 60),
      Buffer.alloc(0),
      Buffer.from('hello'),
    ].entries()) {
      writeFileSync(file, bytes);
      const out = join(project, `out${index}`);
      await expect(extractArchive(file, format, out, { signal })).rejects.toThrow(/archive|incomplete|damaged/);
    }
  });

  it('stops when the user interrupts', async () => {
    await using workspace = await createWorkspace();
    const file = writeTar(join(workspace.project, 'x.tar.gz'), [{ path: 'a' }]);
    const work = extractArchive(file, 'tar.gz', join(workspace.project, 'out'), {
      signal: AbortSignal.abort(),
      limits: ARCHIVE_LIMITS,
    });
    await expect(work).rejects.toThrow(/abort/i);
  });
});
