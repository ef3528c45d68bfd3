import { describe, expect, it } from 'vitest';
import { describeFailure, describeMissing, findOnPath } from './probe-bubblewrap.ts';

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

it('quotes what bubblewrap said, and guesses nothing', () => {
  expect(describeFailure('bwrap: new words\n', 0)).toBe('bubblewrap does not start: bwrap: new words.');
  expect(describeFailure('', 0)).toBe('bubblewrap does not start: it printed no reason.');
});

it('uses no program of the project', () => {
  expect(findOnPath('sh', { PATH: '/bin' }, ['/bin', '/usr'])).toBeUndefined();
  expect(findOnPath('sh', { PATH: '.:/bin' })).toBe('/bin/sh');
});
