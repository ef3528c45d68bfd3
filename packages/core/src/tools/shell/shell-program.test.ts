import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createShellFixture } from './shell.fixture.ts';
import { findProgram, toPowerShellArguments, toShellInvocation } from './shell-program.ts';

const NASTY = [
  'echo "a b"',
  "echo 'it''s'",
  'echo %PATH% & dir',
  'echo a^b|c',
  'Write-Output "`$x"',
  'echo ü 你好 😀',
  'a\nb',
  '"',
  "'",
  '\\"',
  '\\\\',
  '-EncodedCommand x',
  '& { 1 } && 2',
  '$env:PATH; "@()"',
];

describe('toShellInvocation', () => {
  it('gives the command to bash as one argument, unchanged', () => {
    const { file, args, environment } = toShellInvocation('echo "$HOME"; ls', { PATH: '/bin' }, 'linux');
    expect({ file, args, environment }).toEqual({
      file: '/bin/bash',
      args: ['-c', '--', 'echo "$HOME"; ls'],
      environment: {},
    });
  });

  it('keeps a pattern for pkill out of the command line it would be compared with', () => {
    const { args, environment } = toShellInvocation('pkill -f my-server', {}, 'linux');
    expect(args.join(' ')).not.toContain('my-server');
    expect(environment).toEqual({ CASTOR_COMMAND: 'pkill -f my-server' });
  });

  it.each(NASTY)('gives %j to PowerShell in a form no quoting can change', (command) => {
    const args = toPowerShellArguments(command);
    const script = Buffer.from(args.at(-1)!, 'base64').toString('utf16le');
    expect(args.slice(0, -1)).toEqual(['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand']);
    expect(args.at(-1)).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(script.includes(command)).toBe(true);
  });
});

describe('findProgram', () => {
  it('finds nothing in relative entries of PATH', async () => {
    await using fixture = await createShellFixture();
    await mkdir(join(fixture.directory, 'bin'));
    const program = join(fixture.directory, 'bin', 'planted-program');
    await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
    const before = process.cwd();
    process.chdir(fixture.directory);
    try {
      expect([
        findProgram(['planted-program'], { PATH: 'bin:.:' }),
        findProgram(['planted-program'], { PATH: join(fixture.directory, 'bin') }),
      ]).toEqual([undefined, program]);
    } finally {
      process.chdir(before);
    }
  });
});
