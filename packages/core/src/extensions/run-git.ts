/**
 * Runs git on repositories of strangers: no shell, none of the user's or the repository's configuration, no hook,
 * filter, submodule, prompt or transport that starts a program. Bounded in time; an abort ends the whole group.
 */

import { spawn } from 'node:child_process';
import { createAbortError } from '../util/clock.ts';
import { signalChildGroup, waitForExit } from '../util/child-group.ts';
import { ExtensionError } from './extension-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** One line of progress, such as `Receiving objects: 40%`. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** For https addresses of this origin. */
  readonly token?: { readonly origin: string; readonly value: string } | undefined;
  /** Whether the user named a repository of this machine. */
  readonly allowsFiles?: boolean;
  readonly limitMs?: number;
}

const DEFAULT_LIMIT_MS = 10 * 60_000;
const KEPT_OUTPUT = 64 * 1024;

/** What git needs to start, find keys of ssh and reach a network. Nothing that names a repository or a program. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|TEMP|TMP|LANG|LC_\w+|SYSTEMROOT|USERPROFILE|SSH_AUTH_SOCK|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR))$/i;

const CONFIGURATION: readonly [string, string][] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.askPass', ''],
  ['core.protectNTFS', 'true'],
  ['core.protectHFS', 'true'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['transfer.bundleURI', 'false'],
  ['filter.lfs.smudge', ''],
  ['filter.lfs.process', ''],
  ['filter.lfs.required', 'false'],
  ['advice.detachedHead', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['http.followRedirects', 'initial'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '60'],
  ['protocol.allow', 'never'],
  ['protocol.https.allow', 'always'],
  ['protocol.http.allow', 'always'],
  ['protocol.ssh.allow', 'always'],
];

/** Resolves with stdout. Throws an ExtensionError with git's last words, or an AbortError. */
export async function runGit(words: readonly string[], options: GitOptions): Promise<string> {
  const { signal, onProgress, limitMs = DEFAULT_LIMIT_MS } = options;
  if (signal.aborted) throw createAbortError();
  const child = spawn('git', [...words], {
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output = `${output}${text}`.slice(-KEPT_OUTPUT)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-KEPT_OUTPUT);
    const progress = /[^\r\n]*\d+%/.exec(text.split(/[\r\n]+/).findLast((line) => line.includes('%')) ?? '')?.[0];
    if (progress !== undefined) onProgress?.(progress.trim());
  });
  let isLate = false;
  const stop = () => signalChildGroup(child, 'SIGKILL');
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limitMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { code } = await waitForExit(child);
    if (signal.aborted) throw createAbortError();
    if (isLate) throw new ExtensionError(`git took longer than ${Math.round(limitMs / 1000)} s and was ended.`);
    if (code !== 0) throw new ExtensionError(`git failed: ${lastWords(errors)}`);
    return output;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ExtensionError('git is not installed, and this source needs it. Install git.', { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function environmentOf({ environment, token, allowsFiles = false }: GitOptions): Record<string, string> {
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && PASSED.test(entry[0]),
  );
  const configuration = [...CONFIGURATION];
  if (allowsFiles) configuration.push(['protocol.file.allow', 'always']);
  if (token) {
    const credentials = Buffer.from(`x-access-token:${token.value}`).toString('base64');
    configuration.push([`http.${token.origin}/.extraHeader`, `Authorization: Basic ${credentials}`]);
  }
  return {
    ...Object.fromEntries(passed),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ClearAllForwardings=yes -o PermitLocalCommand=no',
    GIT_SSH_VARIANT: 'ssh',
    GIT_TEMPLATE_DIR: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: String(configuration.length),
    ...Object.fromEntries(
      configuration.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** The lines that tell why, without progress. */
function lastWords(errors: string): string {
  const lines = errors
    .split(/[\r\n]+/)
    .filter((line) => /\S/.test(line) && !/^(?:remote: )?[A-Z][\w ]+:\s+\d+%/.test(line));
  return lines.slice(-4).join(' ').trim() || 'it gave no reason.';
}
