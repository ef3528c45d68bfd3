/** `castor sandbox grants|allow|revoke`: lists, opens and closes the paths and hosts that commands in the sandbox may use. */

import { resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { isOpenable, parseHostEntry, readGrants, readSandboxFile, revokeGrants, saveGrant } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const VERBS = { write: 'write', read: 'read', host: 'reach' };

export async function runGrantsCommand(
  name: string,
  argv: readonly string[],
  context: SubcommandContext,
): Promise<ExitCode> {
  const words = parseWords(argv, { command: 'sandbox', valued: { '--write': [], '--read': [] } });
  if (typeof words === 'string') return fail(words, context);
  if (name === 'grants') return list(context);
  return name === 'allow' ? allow(words, context) : revoke(words.operands, context);
}

async function list(context: SubcommandContext): Promise<ExitCode> {
  const { home, output } = context;
  const grants = readGrants(home);
  let file: Awaited<ReturnType<typeof readSandboxFile>>;
  try {
    file = await readSandboxFile(home);
  } catch (error) {
    return fail(getErrorMessage(error), context);
  }
  const named = (file?.commands ?? []).flatMap(({ name, paths, hasNetwork }) =>
    [...paths.map((path) => `write ${path}`), ...(hasNetwork ? ['reach package registries'] : [])].map(
      (what) => `${what}   for ${name}, by ${file?.path}\n`,
    ),
  );
  const lines = [
    ...grants.map(({ kind, what, root }) => `${VERBS[kind]} ${what}   for the commands of ${root}\n`),
    ...named,
  ];
  await output.answer(lines.length === 0 ? 'Nothing is opened for commands in the sandbox.\n' : lines.join(''));
  return ExitCode.Success;
}

type Words = Exclude<ReturnType<typeof parseWords>, string>;

async function allow({ operands, values }: Words, context: SubcommandContext): Promise<ExitCode> {
  const { home, cwd, output } = context;
  const expand = (path: string) => resolve(cwd, path.replace(/^~(?=$|\/)/, home));
  const write = values.get('--write');
  const read = values.get('--read');
  const grants = [
    ...(write === undefined ? [] : [{ kind: 'write' as const, what: expand(write), root: cwd }]),
    ...(read === undefined ? [] : [{ kind: 'read' as const, what: expand(read), root: cwd }]),
    ...operands.map((what) => ({ kind: 'host' as const, what, root: cwd })),
  ];
  if (grants.length === 0) return fail('castor sandbox allow needs a host, --write <path> or --read <path>.', context);
  const wrong = operands.find((host) => parseHostEntry(host) === undefined);
  if (wrong !== undefined)
    return fail(
      `"${wrong}" is no host: example.org, *.example.org or example.org:8443. For a path: --write or --read.`,
      context,
    );
  const closed = grants.find(({ kind, what }) => kind !== 'host' && !isOpenable(what));
  if (closed)
    return fail(
      `${closed.what} cannot be opened: there would be no sandbox. To run without one: --no-sandbox.`,
      context,
    );
  for (const grant of grants) saveGrant(home, grant);
  await output.answer(grants.map(({ kind, what }) => `Commands of ${cwd} may ${VERBS[kind]} ${what}.\n`).join(''));
  return ExitCode.Success;
}

async function revoke(operands: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { home, cwd, output } = context;
  if (operands.length === 0)
    return fail('castor sandbox revoke needs a host or a path of castor sandbox grants.', context);
  const removed = operands.flatMap((what) => {
    const path = resolve(cwd, what.replace(/^~(?=$|\/)/, home));
    return [...revokeGrants(home, what), ...(path === what ? [] : revokeGrants(home, path))];
  });
  if (removed.length === 0) return fail(`Nothing is opened as ${operands.join(', ')}.`, context);
  await output.answer(
    removed.map(({ kind, what, root }) => `Commands of ${root} may no longer ${VERBS[kind]} ${what}.\n`).join(''),
  );
  return ExitCode.Success;
}

function fail(message: string, { output }: SubcommandContext): ExitCode {
  output.note(`castor: ${message}`);
  return ExitCode.Failure;
}
