/**
 * Asks the user before a call runs, and offers the answers. Shows everything the call would do: no token is left out,
 * and invisible characters are spelled out. The first answer always applies to this one call only, and Enter chooses it
 * unless the user has configured otherwise.
 */

import { assertNever } from '@castor/core';
import type { ConfirmationPayload, ToolCallConfirmationDetails, ToolConfirmationOutcome } from '@castor/core';
import { renderDiff } from '../render/diff.ts';
import { makeVisible, makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../render/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';
import type { DialogHost } from './dialog-host.ts';
import type { SelectOption } from './select-dialog.ts';

/** The details with a yes or no answer; questions and plans have dialogs of their own. */
export type ActionDetails = Exclude<ToolCallConfirmationDetails, { type: 'ask_user' | 'exit_plan_mode' }>;

export interface ApprovalAnswer {
  readonly outcome: ToolConfirmationOutcome;
  readonly payload?: ConfirmationPayload;
}

export interface ApprovalOptions {
  readonly host: DialogHost;
  readonly signal: AbortSignal;
  /** False with `security.disableAlwaysAllow`. */
  readonly allowsAlways: boolean;
  /** `security.enablePermanentToolApproval`. */
  readonly allowsPermanent: boolean;
  /** `security.autoAddToPolicyByDefault`: for edits and pages Enter chooses that answer. */
  readonly proposesPermanent: boolean;
  /** Whether an editor for the proposal is available. */
  readonly hasEditor: boolean;
  /** Prints rows that do not fit beside the answers. */
  readonly print: (rows: (styles: Styles, width: number) => readonly string[]) => void;
  readonly height: number;
  readonly width: number;
  readonly styles: Styles;
}

const REFUSE = 'No, suggest changes (esc)';

/** Undefined when the question was withdrawn. */
export async function askApproval(
  details: ActionDetails,
  options: ApprovalOptions,
): Promise<ApprovalAnswer | undefined> {
  const { host, signal, styles, width } = options;
  const describe = (inner: Styles, columns: number) => [
    ...describeAction(details, inner, columns),
    ...(options.allowsAlways ? describeGrant(details, inner, columns) : []),
  ];
  const whole = describe(styles, width - 4);
  // Rows that do not fit are printed above in full, where the terminal can be scrolled.
  const fits = whole.length <= Math.max(options.height - 10, 4);
  if (!fits) options.print((inner, columns) => ['', ...describe(inner, columns)]);
  const answers = answersFor(details, options);
  const outcome = await host.choose<ToolConfirmationOutcome>(
    {
      title: `Action Required: ${makeVisibleLine(details.title)}`,
      body: (space) =>
        fits ? describe(space.styles, space.width - 4) : [space.styles.secondary('(shown in full above)')],
      options: answers,
      initial: options.proposesPermanent && isHarmless(details) ? indexOfPermanent(answers) : 0,
      escape: 'cancel',
    },
    signal,
  );
  if (outcome === undefined) return undefined;
  if (outcome !== 'cancel') return { outcome };
  const feedback = await host.askText(
    {
      title: 'What should Castor do instead?',
      placeholder: 'describe it, or just press enter',
      keys: 'enter to answer, esc to answer without text',
    },
    signal,
  );
  return { outcome, ...(feedback?.trim() && { payload: { feedback: feedback.trim() } }) };
}

function isHarmless({ type }: ActionDetails): boolean {
  return type === 'edit' || type === 'info';
}

function indexOfPermanent(answers: readonly SelectOption<ToolConfirmationOutcome>[]): number {
  return Math.max(
    0,
    answers.findIndex(({ value }) => value === 'proceed_always_and_save'),
  );
}

export function answersFor(
  details: ActionDetails,
  options: Pick<ApprovalOptions, 'allowsAlways' | 'allowsPermanent' | 'hasEditor'>,
): SelectOption<ToolConfirmationOutcome>[] {
  const answers = allAnswersFor(details, options);
  return options.allowsAlways ? answers : answers.filter(({ value }) => !value.startsWith('proceed_always'));
}

function allAnswersFor(
  details: ActionDetails,
  { allowsPermanent, hasEditor }: Pick<ApprovalOptions, 'allowsPermanent' | 'hasEditor'>,
): SelectOption<ToolConfirmationOutcome>[] {
  const once: SelectOption<ToolConfirmationOutcome> = { label: 'Allow once', value: 'proceed_once' };
  const refuse: SelectOption<ToolConfirmationOutcome> = { label: REFUSE, value: 'cancel' };
  const session: SelectOption<ToolConfirmationOutcome> = { label: 'Allow for this session', value: 'proceed_always' };
  const permanent = (label: string): SelectOption<ToolConfirmationOutcome>[] =>
    allowsPermanent ? [{ label, value: 'proceed_always_and_save' }] : [];
  switch (details.type) {
    case 'edit':
      return [
        once,
        { ...session, label: `${session.label} (accepts all edits)` },
        ...permanent('Allow for this file in all future sessions'),
        ...(hasEditor ? [{ label: 'Modify with external editor', value: 'modify_with_editor' } as const] : []),
        refuse,
      ];
    case 'exec':
      // Answers that would change nothing are not offered.
      return details.alwaysCovers?.length === 0
        ? [once, refuse]
        : [once, session, ...permanent('Allow this command for all future sessions'), refuse];
    case 'mcp':
      return [
        { ...once, hint: 'this call' },
        { label: 'Allow tool for this session', value: 'proceed_always_tool', hint: 'with any arguments' },
        {
          label: 'Allow all server tools for this session',
          value: 'proceed_always_server',
          hint: `every tool of ${makeVisibleLine(details.serverName)}`,
        },
        ...permanent('Allow tool for all future sessions').map((answer) => ({
          ...answer,
          hint: 'in every folder, with any arguments, until the tool changes',
        })),
        refuse,
      ];
    case 'info':
      return [once, session, ...permanent('Allow for all future sessions'), refuse];
    case 'sandbox_expansion':
      return [once, refuse];
    default:
      return assertNever(details);
  }
}

/**
 * The scope of a lasting answer to a command. It stands above the answers, where it wraps: a row of an answer is cut.
 */
function describeGrant(details: ActionDetails, styles: Styles, width: number): string[] {
  if (details.type !== 'exec' || !details.alwaysCovers?.length) return [];
  const covered = details.alwaysCovers.map(makeVisibleLine).join(', ');
  return wrapRows(styles.secondary(`A lasting answer allows: ${covered}`), { width });
}

/** The commands of a line that has several, and what about it is unknown before it runs. */
function describeParts(
  { rootCommands, reason }: Extract<ActionDetails, { type: 'exec' }>,
  styles: Styles,
  width: number,
): string[] {
  const runs = rootCommands.length > 1 ? [`Runs ${rootCommands.map(makeVisibleLine).join(', ')}`] : [];
  const asks = reason === undefined ? [] : [`Asks because ${makeVisibleLine(reason)}`];
  return [...runs, ...asks].flatMap((row) => wrapRows(styles.secondary(row), { width }));
}

/** A description is the server's own praise: enough of it to know the tool. */
const MOST_DESCRIPTION = 300;

/** The whole arguments: the user approves what is sent. */
function describeServerCall(
  { serverName, toolName, args, changed, description = '' }: Extract<ActionDetails, { type: 'mcp' }>,
  styles: Styles,
  width: number,
): string[] {
  const sent = args === undefined ? [] : JSON.stringify(args, null, 2).split('\n').map(makeVisibleLine);
  return [
    `${styles.secondary('server')} ${makeVisibleLine(serverName)}`,
    `${styles.secondary('tool')}   ${makeVisibleLine(toolName)}`,
    ...(changed === undefined ? [] : [styles.warning(makeVisibleLine(changed))]),
    ...(sent.length > 0 ? [styles.secondary('arguments'), ...sent] : []),
    ...(description === '' ? [] : [styles.secondary(`says of itself: ${shortLine(description)}`)]),
  ].flatMap((row) => wrapRows(row, { width }));
}

function shortLine(text: string): string {
  const line = makeVisibleLine(text.replaceAll(/\s+/g, ' '));
  return line.length <= MOST_DESCRIPTION ? line : `${line.slice(0, MOST_DESCRIPTION).toWellFormed()}…`;
}

export function describeAction(details: ActionDetails, styles: Styles, width: number): string[] {
  switch (details.type) {
    case 'edit':
      return [
        ...wrapRows(styles.link(makeVisibleLine(details.filePath)), { width }),
        ...renderDiff(details.fileDiff, { styles, width, maxRows: Infinity, isWhole: true }),
      ];
    case 'exec':
      return [...describeCommand(details.command, styles, width), ...describeParts(details, styles, width)];
    case 'info':
      return [
        ...wrapRows(makeVisible(details.prompt), { width }),
        ...(details.urls ?? []).flatMap((url) => wrapRows(styles.link(makeVisibleLine(url)), { width, first: '- ' })),
      ];
    case 'mcp':
      return describeServerCall(details, styles, width);
    case 'sandbox_expansion':
      return [
        ...describeCommand(details.command, styles, width),
        ...wrapRows(styles.warning(`wants: ${makeVisibleLine(JSON.stringify(details.permissions))}`), { width }),
      ];
    default:
      return assertNever(details);
  }
}

function describeCommand(command: string, styles: Styles, width: number): string[] {
  return makeVisible(command)
    .split('\n')
    .flatMap((line, index) =>
      wrapRows(styles.symbol(line), { width, first: index === 0 ? styles.secondary('$ ') : '  ', rest: '    ' }),
    );
}
