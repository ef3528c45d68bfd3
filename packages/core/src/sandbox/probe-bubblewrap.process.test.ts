import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUBBLEWRAP_FAILURES, failingWith, plantBubblewrap } from './bubblewrap-failures.fixture.ts';
import { describeFailure, describeMissing, findOnPath, probeBubblewrap } from './probe-bubblewrap.ts';

/** Probes a program in place of bubblewrap. */
async function probe(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-probe-'));
  try {
    const result = await probeBubblewrap({ PATH: plantBubblewrap(folder, script) });
    return result.works ? { ...result.bubblewrap, file: 'bwrap' } : result.reason;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a missing bubblewrap', () => {
  it.each([
    ['ID=debian', 'sudo apt install bubblewrap'],
    ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"', 'sudo apt install bubblewrap'],
    ['ID=fedora', 'sudo dnf install bubblewrap'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'sudo dnf install bubblewrap'],
    ['ID=arch', 'sudo pacman -S bubblewrap'],
    ['ID="opensuse-leap"\nID_LIKE="suse opensuse"', 'sudo zypper install bubblewrap'],
    ['ID=alpine', 'sudo apk add bubblewrap'],
    ['', 'install the package bubblewrap'],
  ])('is answered with the command of the system: %s', (osRelease, command) => {
    expect(describeMissing(osRelease)).toBe(`bubblewrap (bwrap) is not installed: ${command}.`);
  });
});

describe('a bubblewrap that does not work', () => {
  it.each(BUBBLEWRAP_FAILURES)('is explained exactly: %s', async (_, stderr, sentence) => {
    expect(await probe(failingWith(stderr))).toBe(sentence);
  });

  it('is tried with less where it is older or /proc is masked, and what is weaker is said', async () => {
    const older = `case "$*" in *disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac`;
    expect(await probe(older)).toEqual({ file: 'bwrap', canDisableNamespaces: false, hasOwnProc: true });
    const masked = `case "$*" in *--proc*) ${failingWith("bwrap: Can't mount proc on /newroot/proc: EPERM")};; esac`;
    expect(await probe(masked)).toEqual({
      ...{ file: 'bwrap', canDisableNamespaces: true, hasOwnProc: false },
      weakness:
        'The system masks /proc, so commands see the names of the processes of this computer; their environment stays readable to the same user.',
    });
  });
});

it('quotes what bubblewrap said, and guesses nothing', () => {
  expect(describeFailure('bwrap: new words\n', 0)).toBe('bubblewrap does not start: bwrap: new words.');
  expect(describeFailure('', 0)).toBe('bubblewrap does not start: it printed no reason.');
});

it('uses no program of the project', () => {
  expect(findOnPath('sh', { PATH: '/bin' }, ['/bin', '/usr'])).toBeUndefined();
  expect(findOnPath('sh', { PATH: '.:/bin' })).toBe('/bin/sh');
});

it('uses no program of the project that is reached through a link', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'castor-probe-'));
  try {
    const project = join(folder, 'project');
    plantBubblewrap(join(project, 'bin'), `touch ${join(folder, 'ran')}`);
    mkdirSync(join(folder, 'links'));
    symlinkSync(join(project, 'bin'), join(folder, 'bin'));
    symlinkSync(join(project, 'bin/bwrap'), join(folder, 'links/bwrap'));
    const PATH = [join(project, 'bin'), join(folder, 'bin'), join(folder, 'links')].join(':');
    await probeBubblewrap({ PATH }, [project]);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
