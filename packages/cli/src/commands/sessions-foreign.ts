/** `castor sessions … --from claude|codex`: lists, searches, shows and copies the sessions of another agent. */

import {
  convertForeignSession,
  findForeignSession,
  listForeignSessions,
  readForeignHistory,
  searchForeignSessions,
} from '@castor/core/program';
import type { ForeignAgentName } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { relativeTime, sessionsJson } from './sessions-list-text.ts';
import type { SessionsContext, SessionsOptions } from './sessions-options.ts';

/** Throws SessionError. */
export async function runForeignSessions(
  name: string,
  options: SessionsOptions,
  context: SessionsContext,
): Promise<ExitCode> {
  const { from, operands, limit, json } = options;
  const { output, home, cwd } = context;
  if (from === undefined) {
    output.note('castor: missing source: castor sessions import [<session>] --from claude|codex');
    return ExitCode.Failure;
  }
  switch (name) {
    case 'list':
      return list(from, json, context);
    case 'search': {
      const words = operands.flatMap((operand) => operand.split(/\s+/));
      const found = searchForeignSessions(from, { home, words, limit });
      if (json) await output.answer(sessionsJson(found));
      else if (found.length === 0) output.note(`No session of ${from} contains all of: ${words.join(' ')}`);
      for (const { id, title, lastUpdated, root, excerpt } of json ? [] : found) {
        const where = root === undefined ? '' : `  in ${root}\n`;
        await output.answer(
          `${title} (${relativeTime(lastUpdated, Date.now())}) [${from}:${id}]\n${where}  ${excerpt}\n\n`,
        );
      }
      return found.length > 0 ? ExitCode.Success : ExitCode.Failure;
    }
    case 'show':
      return show(from, operands[0] ?? 'latest', json, context);
    case 'import': {
      const session = findForeignSession(from, operands[0] ?? 'latest', { home, root: cwd });
      const id = await convertForeignSession(session, { home, root: cwd });
      await output.answer(`Imported "${session.title}" from ${session.path}.\nTo resume it: castor --resume ${id}\n`);
      return ExitCode.Success;
    }
    default:
      output.note(`castor: castor sessions ${name} has no --from: Castor does not change the files of another agent.`);
      return ExitCode.Failure;
  }
}

async function list(from: ForeignAgentName, json: boolean, { output, home, cwd }: SessionsContext): Promise<ExitCode> {
  const sessions = listForeignSessions(from, home, cwd);
  if (json) {
    await output.answer(sessionsJson(sessions));
    return ExitCode.Success;
  }
  if (sessions.length === 0) await output.answer(`No sessions of ${from} found for this folder.\n`);
  else {
    const rows = sessions.map(
      ({ id, title, lastUpdated }, index) =>
        `  ${index + 1}. ${title} (${relativeTime(lastUpdated, Date.now())}) [${id}]\n`,
    );
    await output.answer(`\nSessions of ${from} for this folder (${sessions.length}):\n${rows.join('')}`);
    output.note(`To resume one: castor --resume ${from}:<number>`);
  }
  return ExitCode.Success;
}

async function show(
  from: ForeignAgentName,
  wanted: string,
  json: boolean,
  { output, home, cwd }: SessionsContext,
): Promise<ExitCode> {
  const session = findForeignSession(from, wanted, { home, root: cwd });
  const history = readForeignHistory(session);
  if (json) {
    await output.answer(sessionsJson({ ...session, history }));
    return ExitCode.Success;
  }
  for (const { role, parts = [] } of history) {
    for (const { text, functionCall, functionResponse } of parts) {
      if (text !== undefined)
        await output.answer(role === 'user' ? `> ${text.replaceAll('\n', '\n> ')}\n\n` : `${text}\n\n`);
      if (functionCall) await output.answer(`[${functionCall.name} ${JSON.stringify(functionCall.args)}]\n`);
      const result = functionResponse?.response?.['output'];
      if (typeof result === 'string') await output.answer(`${result.slice(0, 2000)}\n\n`);
    }
  }
  return ExitCode.Success;
}
