/**
 * The contract for a tool that takes a path: missing files, files outside the workspace, entries that are not files,
 * unreadable files, and a full disk.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { assertSettled, describeOutcome, settle, settleInvocation, typeOf } from './contract-outcome.ts';
import type { ContractInvocation, ContractSubject } from './contract-tool.ts';

export async function checkMissingFile({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  assertSettled(await settle(tool, { ...args, [path.parameter]: join(project, 'no', 'such', 'thing') }));
}

export async function checkUnicodeName({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  const target = join(project, 'données · 文字 🦫');
  await createTarget(target, path.kind);
  assertSettled(await settle(tool, { ...args, [path.parameter]: target }));
}

export async function checkOutsidePath({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  const outside = path.kind === 'file' ? '/etc/hostname' : '/etc';
  for (const target of [outside, join('..', '..', '..', '..', '..', outside), `${project}-evil/x`]) {
    const outcome = await settle(tool, { ...args, [path.parameter]: target });
    assert.equal(typeOf(outcome), 'path_not_in_workspace', `${target}: ${describeOutcome(outcome)}`);
  }
}

export async function checkNamedPipe({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path || process.platform === 'win32') return;
  const pipe = join(project, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const outcome = await settle(tool, { ...args, [path.parameter]: pipe });
  assert.notEqual(typeOf(outcome), undefined, 'a named pipe was accepted');
}

export async function checkVanishingFile({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  const target = join(project, 'vanishing');
  await createTarget(target, path.kind);
  let invocation: ContractInvocation;
  try {
    invocation = tool.build({ ...args, [path.parameter]: target });
    await invocation.confirm(new AbortController().signal);
  } catch (error) {
    assertSettled({ error });
    return;
  }
  await rm(target, { recursive: true });
  assertSettled(await settleInvocation(invocation));
}

export async function checkPermissionDenied({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path || process.platform === 'win32') return;
  const target = join(project, 'locked');
  await createTarget(target, path.kind);
  await chmod(target, 0o000);
  const outcome = await asOrdinaryUser(project, () => settle(tool, { ...args, [path.parameter]: target }));
  await chmod(target, 0o700);
  assertSettled(outcome);
  assert.notEqual(typeOf(outcome), undefined, `an unreadable file was read: ${describeOutcome(outcome)}`);
}

const NOBODY = 65_534;

/** Root may read everything, so a suite that runs as root gives the folder to the user `nobody` for the call. */
async function asOrdinaryUser<T>(project: string, run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  await Promise.all([chmod(dirname(project), 0o755), chown(project, NOBODY, NOBODY)]);
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

export async function checkFullDisk({ tool, growingArgs, project }: ContractSubject): Promise<void> {
  if (!growingArgs) return;
  const disk = join(project, 'small-disk');
  await mkdir(disk);
  const run = promisify(execFile);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk]);
  } catch {
    // Only some machines allow a test to have a disk of its own.
    return;
  }
  try {
    const path = join(disk, 'file.txt');
    await writeFile(path, 'old text\n');
    const outcome = await settle(tool, growingArgs(path));
    assert.equal(typeOf(outcome), 'no_space_left', describeOutcome(outcome));
    assert.equal(await readFile(path, 'utf8'), 'old text\n');
    assert.deepEqual(await readdir(disk), ['file.txt']);
  } finally {
    await run('umount', [disk]);
  }
}

async function createTarget(path: string, kind: 'file' | 'directory'): Promise<void> {
  if (kind === 'directory') await mkdir(path);
  else await writeFile(path, 'some text\n');
}
