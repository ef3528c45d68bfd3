/**
 * `castor sessions`, and the flags --list-sessions and --delete-session: lists, shows and removes the sessions on the
 * disk. It starts no model and takes no session over.
 */

import { listSessions, SessionError } from '@castor/core';
import {
  collectUndoStore,
  deleteSession,
  findDamagedSessions,
  findSession,
  loadSession,
  resolveProjectDirectory,
  searchSessions,
} from '@castor/core/program';
import type { SessionSummary } from '@castor/core';
import type { ForeignAgentName } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { parseWords } from './parse-words.ts';
import { relativeTime, sessionsJson } from './sessions-list-text.ts';
import type { SessionsContext, SessionsOptions } from './sessions-options.ts';
import { toReadableText } from './sessions-text.ts';
import { describeWithHint } from '../start/describe-with-hint.ts';
import { tellUsage } from './tell-usage.ts';

const USAGE = `Usage: castor sessions list [--from claude|codex] [--json]
       castor sessions search <words...> [--from claude|codex] [--limit <number>] [--json]
       castor sessions show [<session>] [--from claude|codex] [--json]
       castor sessions import [<session>] --from claude|codex
       castor sessions delete <session>
       castor sessions path [<session>]

  list      lists the sessions of this folder, oldest first
  search    finds sessions of all folders that contain all words
  show      shows the conversation of a session
  delete    deletes a session and its files
  import    copies a session of another agent, to be resumed here
  path      prints the file of a session, or the folder of the sessions

<session> is a number of the list, a session id, or latest.
To resume one: castor --resume <session>, of another agent: castor --resume claude:<session>
`;

type Run = (options: SessionsOptions, context: SessionsContext) => Promise<ExitCode>;

const COMMANDS: Readonly<Record<string, { run: Run; atLeast: number; atMost: number }>> = {
  list: { run: list, atLeast: 0, atMost: 0 },
  search: { run: search, atLeast: 1, atMost: Number.POSITIVE_INFINITY },
  show: { run: show, atLeast: 0, atMost: 1 },
  delete: { run: remove, atLeast: 1, atMost: 1 },
  path: { run: path, atLeast: 0, atMost: 1 },
  import: { run: async () => ExitCode.Failure, atLeast: 0, atMost: 1 },
};

export async function runSessionsCommand(argv: readonly string[], context: SessionsContext): Promise<ExitCode> {
  const [name = 'list', ...rest] = argv;
  if (await tellUsage(argv, USAGE, context.output)) return ExitCode.Success;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const options = command ? parseOptions(rest) : `unknown command castor sessions "${name}".`;
  const count = typeof options === 'string' ? 0 : options.operands.length;
  if (!command || typeof options === 'string' || count < command.atLeast || count > command.atMost) {
    context.output.note(typeof options === 'string' ? `${options}\n\n${USAGE}` : USAGE);
    return ExitCode.Failure;
  }
  try {
    if (options.from !== undefined || name === 'import') {
      const { runForeignSessions } = await import('./sessions-foreign.ts');
      return await runForeignSessions(name, options, context);
    }
    return await command.run(options, context);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    context.output.note(`castor: ${describeWithHint(error)}`);
    return ExitCode.Failure;
  }
}

const DEFAULT_LIMIT = '20';

/** A sentence for invalid options. */
function parseOptions(argv: readonly string[]): SessionsOptions | string {
  const valued = { '--limit': [], '--from': ['claude', 'codex'] };
  const words = parseWords(argv, { command: 'sessions', flags: ['--json'], valued });
  if (typeof words === 'string') return words;
  const { operands, flags, values } = words;
  const limit = Number(values.get('--limit') ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1) return '--limit needs a whole number above 0.';
  return { operands, json: flags.has('--json'), limit, from: values.get('--from') as ForeignAgentName | undefined };
}

/** `--list-sessions`. */
export async function printSessionList({ output, cwd, home }: SessionsContext): Promise<ExitCode> {
  const sessions = await listSessions({ home, root: cwd });
  tellDamaged(sessions, { output, cwd, home });
  await output.answer(describeList(sessions, Date.now()));
  return ExitCode.Success;
}

/** A list leaves out a file without a readable line, but names it. */
function tellDamaged(sessions: readonly SessionSummary[], { output, cwd, home }: SessionsContext): void {
  for (const path of findDamagedSessions({ home, root: cwd }, sessions))
    output.note(`castor: ${path} contains no readable session. Restore it from a backup, or delete it.`);
}

/** `--delete-session`. As with Gemini CLI, an error is printed and the exit code is 0. */
export async function printDeletedSession(wanted: string, { output, cwd, home }: SessionsContext): Promise<ExitCode> {
  try {
    const { title, id } = await deleteSession(wanted, { home, root: cwd });
    await collectUndoStore({ home, root: cwd });
    await output.answer(`Deleted session: ${title} [${id}]\n`);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    output.note(describeWithHint(error));
  }
  return ExitCode.Success;
}

export function describeList(sessions: readonly SessionSummary[], now: number): string {
  if (sessions.length === 0) return 'No previous sessions found for this project.\n';
  const lines = sessions.map(
    ({ id, title, lastUpdated }, index) => `  ${index + 1}. ${title} (${relativeTime(lastUpdated, now)}) [${id}]\n`,
  );
  return `\nAvailable sessions for this project (${sessions.length}):\n${lines.join('')}`;
}

async function list({ json }: SessionsOptions, { output, cwd, home }: SessionsContext): Promise<ExitCode> {
  const sessions = await listSessions({ home, root: cwd });
  tellDamaged(sessions, { output, cwd, home });
  await output.answer(json ? sessionsJson(sessions) : describeList(sessions, Date.now()));
  return ExitCode.Success;
}

async function search(
  { operands, limit, json }: SessionsOptions,
  { output, home }: SessionsContext,
): Promise<ExitCode> {
  const words = operands.flatMap((operand) => operand.split(/\s+/));
  const found = await searchSessions({ home, words, limit });
  if (json) await output.answer(sessionsJson(found));
  else if (found.length === 0) output.note(`No session contains all of: ${words.join(' ')}`);
  for (const { id, title, lastUpdated, root, excerpt } of json ? [] : found) {
    const where = root === undefined ? '' : `  in ${root}\n`;
    await output.answer(`${title} (${relativeTime(lastUpdated, Date.now())}) [${id}]\n${where}  ${excerpt}\n\n`);
  }
  return found.length > 0 ? ExitCode.Success : ExitCode.Failure;
}

async function show({ operands, json }: SessionsOptions, { output, cwd, home }: SessionsContext): Promise<ExitCode> {
  const session = await loadSession(operands[0] ?? 'latest', { home, root: cwd });
  if (!session) throw new SessionError('not_found', 'No previous sessions found for this project.');
  const { events, children, ...rest } = session;
  const runs = children.map(({ events: _shown, ...run }) => run);
  if (json) await output.answer(sessionsJson({ ...rest, ...(runs.length > 0 && { agents: runs }) }));
  else
    for (const { text, isFailure } of toReadableText(events, children))
      await output.answer(text, isFailure ? 'failure' : undefined);
  if (!json && session.isRunning && events.at(-1)?.type !== 'prompt_ended')
    await output.answer('\n(The session is running.)\n');
  return ExitCode.Success;
}

async function remove(
  { operands: [wanted = ''] }: SessionsOptions,
  { output, cwd, home }: SessionsContext,
): Promise<ExitCode> {
  const { title, id } = await deleteSession(wanted, { home, root: cwd });
  await collectUndoStore({ home, root: cwd });
  await output.answer(`Deleted session: ${title} [${id}]\n`);
  return ExitCode.Success;
}

async function path(
  { operands: [wanted] }: SessionsOptions,
  { output, cwd, home }: SessionsContext,
): Promise<ExitCode> {
  const project = { home, root: cwd };
  const session = wanted === undefined ? undefined : await findSession(wanted, project);
  await output.answer(`${session?.path ?? `${await resolveProjectDirectory(project)}/chats`}\n`);
  return ExitCode.Success;
}
