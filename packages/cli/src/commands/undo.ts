/**
 * `castor undo`: lists what the sessions of this folder changed, shows what taking it back would do, and does it. It starts
 * no model, and works on sessions that no program has open.
 */

import { isatty } from 'node:tty';
import { SessionError } from '@castor/core';
import { listChangedSessions, listSession, openUndoFor, UndoError } from '@castor/core/program';
import type { FinishedUndo, OpenedUndo, UndoDesk, UndoPreview, UndoSelection } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { describeWithHint } from '../start/describe-with-hint.ts';
import { toJson } from '../to-json.ts';
import { askLine } from './ask-terminal.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { tellUsage } from './tell-usage.ts';
import { applyUnlessVain, judge } from './judge-undo.ts';
import { describeDiffs, describeOutcome, describePreview, describeUndoList, diffText } from './undo-text.ts';

const USAGE = `Usage: castor undo [--last <n> | --to <prompt> | --call <id>] [--preview] [options]
       castor undo --list
       castor undo --redo

Takes back what tools, commands and sub-agents changed in this folder: the last
prompt that changed files, the last n, everything since a prompt, or one call.
Only paths that are exactly as the agent left them are touched.

  --list            lists the prompts and calls that changed files, of all sessions
  --preview         shows what would happen, with diffs, and changes nothing
  --last <n>        the last n prompts that changed files (default 1)
  --to <prompt>     all prompts from this number on: files as before it
  --call <id>       one call
  --redo            takes the last undo back
  --git             also the repositories' own data (.git)
  --shared          also what a command of another session, which ran at the same
                    time, may have changed
  --session <id>    a session of this folder: its number or id (default: the
                    latest one with something to take back)
  --yes             does not ask, also in a terminal
  -o, --output-format text|json

Exit code 0: done and verified, or only shown. 1: nothing done, or not all of it.
`;

interface Options {
  isList: boolean;
  isPreview: boolean;
  isRedo: boolean;
  withGit: boolean;
  withShared: boolean;
  isSure: boolean;
  isJson: boolean;
  session: string | undefined;
  selection: UndoSelection;
}

export async function runUndoCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const options = parseOptions(argv);
  if (typeof options === 'string') {
    output.note(`castor: ${options}\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  try {
    return await run(options, context);
  } catch (error) {
    if (!(error instanceof SessionError) && !(error instanceof UndoError)) throw error;
    if (options.isJson) await output.answer(`${toJson({ error: error.message }, { indent: 2 })}\n`);
    else output.note(`castor: ${describeWithHint(error)}`);
    return ExitCode.Failure;
  }
}

async function run(options: Options, context: SubcommandContext): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const { isPreview, isRedo, withGit, withShared, isJson } = options;
  const project = { home, root: cwd };
  if (options.isList) {
    await output.answer(await list(project, options, (sentence) => output.note(`castor: ${sentence}`)));
    return ExitCode.Success;
  }
  const { undo, found } = await openUndoFor<Found>(options.session, project, {
    isWriting: !isPreview,
    find: async ({ desk, repaired: { sentences, finished } }) => {
      for (const sentence of sentences) output.note(`castor: ${sentence}`);
      // It was asked for already: nothing more than that is taken back.
      if (finished && isAskedAgain(finished, options)) return { finished };
      if (isRedo) return { preview: await desk.previewRedo({ withGit }) };
      const isShown = isPreview || isJson || !options.isSure;
      return { preview: await desk.preview(options.selection, { withGit, withShared, isShown }) };
    },
  });
  const { desk, session, close } = undo;
  try {
    if ('finished' in found) return await tellFinished(found.finished, session.id, options, context);
    const { preview } = found;
    if (isPreview) {
      await output.answer(await showPreview(desk, preview, session.id, isJson));
      return ExitCode.Success;
    }
    if (!options.isSure && !isJson && isatty(0) && isatty(1)) {
      await output.answer(await showPreview(desk, preview, session.id, false));
      const answer = await askLine({ text: 'Go on? [y/N] ', signal: context.signal });
      if (!/^y(es)?$/i.test(answer ?? '')) return ExitCode.Failure;
    }
    return await carryOut(undo, preview, options, context);
  } finally {
    await close();
  }
}

type Found = { preview: UndoPreview } | { finished: FinishedUndo };

async function carryOut(
  { desk, session, tellModel }: OpenedUndo,
  preview: UndoPreview,
  { isJson }: Options,
  { output }: SubcommandContext,
): Promise<ExitCode> {
  const outcome = judge(preview, await applyUnlessVain(desk, preview));
  if (outcome.done.length > 0) tellModel(noteFor(preview));
  const { changes: _states, leftShared: _paths, ...shown } = preview;
  await output.answer(isJson ? json({ session: session.id, ...shown, outcome }) : describeOutcome(preview, outcome));
  return outcome.isComplete ? ExitCode.Success : ExitCode.Failure;
}

/** Whether the user asks for what was cut off and is complete now: "the last" would now mean what came before it. */
function isAskedAgain({ kind }: FinishedUndo, { isRedo, selection }: Options): boolean {
  return isRedo ? kind === 'redo' : kind === 'undo' && 'last' in selection;
}

async function tellFinished(
  { kind, outcome: ended }: FinishedUndo,
  session: string,
  { isJson }: Options,
  { output }: SubcommandContext,
): Promise<ExitCode> {
  const nothing = { kind, leftAlone: [], notCovered: [], uncoveredCalls: [], outside: [] };
  const outcome = judge(nothing, ended);
  await output.answer(isJson ? json({ session, kind, isRepaired: true, outcome }) : describeOutcome(nothing, outcome));
  return outcome.isComplete ? ExitCode.Success : ExitCode.Failure;
}

/** All sessions that changed files, or the one that the user names. */
async function list(
  project: { home: string; root: string },
  { session: wanted, isJson }: Options,
  tell: (sentence: string) => void,
): Promise<string> {
  const sessions = wanted === undefined ? await listChangedSessions(project) : [];
  if (sessions.length === 0) sessions.push(await listSession(wanted ?? 'latest', project));
  for (const sentence of sessions.flatMap(({ repaired = [] }) => repaired)) tell(sentence);
  if (!isJson) return describeUndoList(sessions);
  const [latest, ...earlier] = sessions.map(({ session: { id, title, lastUpdated }, prompts }) => ({
    ...{ session: id, title, lastUpdated: new Date(lastUpdated).toISOString(), prompts },
  }));
  return json({ ...latest, earlier });
}

/** The model reads it with the next prompt: it must not take its changes for done. */
export function noteFor({ kind, prompts }: UndoPreview): string {
  const numbers = prompts.map(({ text }) => JSON.stringify(text.slice(0, 80))).join(', ');
  const what = kind === 'undo' ? 'took back the file changes made for' : 'brought back the file changes made for';
  return `The user ${what} ${numbers}. Read files again before you rely on their content.`;
}

async function showPreview(desk: UndoDesk, preview: UndoPreview, session: string, isJson: boolean): Promise<string> {
  const diffs = await describeDiffs(desk, preview);
  const { changes: _states, leftShared: _paths, ...shown } = preview;
  if (isJson) return json({ session, ...shown, diffs });
  return `${describePreview(preview)}\n${diffText(diffs)}`;
}

function json(value: unknown): string {
  return `${toJson(value, { indent: 2 })}\n`;
}

const FORMATS = ['text', 'json'];

/** A sentence for invalid options. */
function parseOptions(argv: readonly string[]): Options | string {
  const words = parseWords(argv, {
    command: 'undo',
    flags: ['--list', '--preview', '--redo', '--git', '--shared', '--yes', '--json'],
    valued: { '--last': [], '--to': [], '--call': [], '--session': [], '-o': FORMATS, '--output-format': FORMATS },
  });
  if (typeof words === 'string') return words;
  const { operands, flags, values } = words;
  if (operands.length > 0) return `castor undo takes no "${operands[0]}".`;
  const chosen = ['--last', '--to', '--call'].filter((name) => values.has(name));
  if (chosen.length > 1) return `Use one of ${chosen.join(' and ')}.`;
  const [odd] = [...chosen, ...(flags.has('--shared') ? ['--shared'] : [])];
  if (flags.has('--redo') && odd !== undefined) return `--redo takes no ${odd}.`;
  const beside = ['--redo', '--preview', '--git', '--shared', '--yes'].filter((name) => flags.has(name));
  const [other] = [...beside, ...chosen];
  if (flags.has('--list') && other !== undefined) return `--list takes no ${other}.`;
  const last = Number(values.get('--last') ?? 1);
  if (!Number.isInteger(last) || last < 1) return '--last needs a whole number above 0.';
  const to = values.get('--to');
  const call = values.get('--call');
  return {
    isList: flags.has('--list'),
    isPreview: flags.has('--preview'),
    isRedo: flags.has('--redo'),
    withGit: flags.has('--git'),
    withShared: flags.has('--shared'),
    isSure: flags.has('--yes'),
    isJson: flags.has('--json') || (values.get('-o') ?? values.get('--output-format')) === 'json',
    session: values.get('--session'),
    selection: to !== undefined ? { to } : call !== undefined ? { call } : { last },
  };
}
