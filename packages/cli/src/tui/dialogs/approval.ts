/**
 * Asks the user before a call runs, and offers the answers. Every answer names what it grants. Enter allows this one
 * call, or refuses it where the command is risky, unless the user has configured otherwise; Escape refuses at once.
 */

import { assertNever } from '@castor/core';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '@castor/core';
import { makeVisibleLine } from '../../make-visible.ts';
import type { Grammars } from '../render/highlight.ts';
import type { Styles } from '../theme/styles.ts';
import { describeAction, risksOfAction, titleOfAction } from './approval-matter.ts';
import type { ActionDetails } from './approval-matter.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogSpace } from './dialog.ts';
import type { DialogHost } from './dialog-host.ts';
import { LineInput } from './line-input.ts';
import type { SelectOption } from './select-dialog.ts';
import { countAnswerRows, indented } from './select-rows.ts';

export interface ApprovalAnswer {
  readonly outcome: ToolConfirmationOutcome;
  readonly payload?: ConfirmationPayload;
}

/** A tool of an MCP server. */
export interface ServerTool {
  readonly name: string;
  /** The server's word: nothing checks it. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
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
  /** The place among several calls, such as `call 1 of 3`. */
  readonly place?: string | undefined;
  /** The tools of an MCP server, with what it says of them. */
  readonly serverTools?: ((server: string) => readonly ServerTool[]) | undefined;
  /** Where commands run, as the user knows the folder. */
  readonly folder?: string | undefined;
  readonly grammars?: (() => Grammars | undefined) | undefined;
  /** A file as the user knows it. */
  readonly relative?: ((path: string) => string) | undefined;
  /** Prints rows that do not fit beside the answers. */
  readonly print: (rows: (styles: Styles, width: number) => readonly string[]) => void;
  readonly height: number;
  readonly width: number;
  readonly styles: Styles;
}

/** The sub-agent that asks, as core puts it before the title; empty for the session's own calls. */
function askerOf({ title }: ActionDetails): string {
  const [, name] = /^Agent ([^:]+): /.exec(title) ?? [];
  return name === undefined ? '' : ` · for ${makeVisibleLine(name)}`;
}

/** A refusal with words for the model. */
interface Refusal {
  readonly words: string;
}
type Answer = ToolConfirmationOutcome | Refusal;
type AnswerOption = SelectOption<Answer>;

/** Its row becomes an input. */
function refuse(): AnswerOption {
  return {
    label: 'No, and say what to do instead',
    value: { words: '' },
    input: {
      line: new LineInput(),
      lead: 'No, ',
      placeholder: 'say what to do instead',
      enters: 'refuses it',
      escapes: 'refuses it without words',
      toValue: (words) => ({ words: words.trim() }),
    },
  };
}
/** Rows around the matter and the answers: title, why it asks, gaps, keys. */
const ROWS_AROUND = 8;

/** Undefined when the question was withdrawn. */
export async function askApproval(
  details: ActionDetails,
  options: ApprovalOptions,
): Promise<ApprovalAnswer | undefined> {
  const { host, signal, styles, width, folder, grammars } = options;
  const describe = (inner: Styles, columns: number) =>
    describeAction(details, { styles: inner, width: columns, folder, grammars, says: wordOf(details, options) });
  const whole = describe(styles, width - 4);
  // Rows that do not fit are printed above in full, where the terminal can be scrolled.
  const answers = answersFor(details, options);
  const rows = countAnswerRows(answers, { styles, width, maxRows: options.height });
  const fits = whole.length <= Math.max(options.height - ROWS_AROUND - rows, 4);
  if (!fits) options.print((inner, columns) => ['', ...describe(inner, columns - 4).map(indented)]);
  // Leaving the sandbox is a risk by itself.
  const isRisky = risksOfAction(details).length > 0 || details.type === 'sandbox_expansion';
  const { title, facts, why } = titleOfAction(details, styles, options.relative);
  const above = fits ? undefined : `${whole.length} rows above`;
  const answer = await host.choose<Answer>(
    {
      title: `${title}${askerOf(details)}`,
      facts,
      why: [above, why, options.place].filter(Boolean).join(' · ') || undefined,
      body: (space) => (fits ? describe(space.styles, space.width - 4) : riskBody(details, space)),
      options: answers,
      initial: initialOf(answers, options.proposesPermanent && isHarmless(details), isRisky),
      escape: 'cancel',
      escapes: 'no',
    },
    signal,
  );
  if (answer === undefined) return undefined;
  if (typeof answer === 'string') return { outcome: answer };
  return { outcome: 'cancel', ...(answer.words !== '' && { payload: { feedback: answer.words } }) };
}

/** What the server says a call does to the world. */
function wordOf(details: ActionDetails, { serverTools }: ApprovalOptions): string | undefined {
  if (details.type !== 'mcp') return undefined;
  const tool = serverTools?.(details.serverName).find(({ name }) => name === details.toolName);
  if (tool?.annotations?.['destructiveHint'] === true) return 'says it may destroy';
  return tool?.annotations?.['readOnlyHint'] === true ? 'says it only reads' : undefined;
}

/** What is printed above cannot be missed here. */
function riskBody(details: ActionDetails, { styles, width }: DialogSpace): string[] {
  const risks = risksOfAction(details);
  if (risks.length === 0) return [];
  return wrapRows(styles.warning(risks.join(' · ')), { width: width - 4, first: styles.warning('! ') });
}

function initialOf(answers: readonly AnswerOption[], proposesPermanent: boolean, isRisky: boolean): number {
  const wanted = proposesPermanent ? 'proceed_always_and_save' : 'proceed_once';
  return Math.max(
    0,
    answers.findIndex(({ value }) => (isRisky ? typeof value !== 'string' : value === wanted)),
  );
}

function isHarmless({ type }: ActionDetails): boolean {
  return type === 'edit' || type === 'info';
}

export function answersFor(
  details: ActionDetails,
  options: Pick<ApprovalOptions, 'allowsAlways' | 'allowsPermanent' | 'hasEditor' | 'serverTools'>,
): AnswerOption[] {
  const answers = allAnswersFor(details, options);
  return options.allowsAlways
    ? answers
    : answers.filter(({ value }) => typeof value !== 'string' || !value.startsWith('proceed_always'));
}

function allAnswersFor(
  details: ActionDetails,
  { allowsPermanent, hasEditor, serverTools }: Pick<ApprovalOptions, 'allowsPermanent' | 'hasEditor' | 'serverTools'>,
): AnswerOption[] {
  const once: AnswerOption = { label: 'Yes, once', value: 'proceed_once' };
  const session = (label: string, below?: readonly string[]): AnswerOption => ({
    label: `Yes, and until you leave also ${label}`.trimEnd(),
    value: 'proceed_always',
    below,
  });
  const permanent = (label: string, below?: readonly string[]): AnswerOption[] =>
    allowsPermanent ? [{ label: `Yes, always ${label}`.trimEnd(), value: 'proceed_always_and_save', below }] : [];
  switch (details.type) {
    case 'edit':
      return [
        once,
        {
          label: 'Yes, and every further edit in this workspace until you leave',
          value: 'proceed_always',
          hint: '→ accepting edits',
        },
        ...permanent(`for ${makeVisibleLine(details.fileName)}`),
        ...(hasEditor ? [{ label: 'Open it in the editor first', value: 'modify_with_editor' } as const] : []),
        refuse(),
      ];
    case 'exec': {
      const covered = details.alwaysCovers?.map(makeVisibleLine);
      // Answers that would change nothing are not offered.
      if (covered?.length === 0) return [once, refuse()];
      // What the second answer names is not repeated: no answer may be pushed out of sight.
      return [once, session('', covered), ...permanent('for the same commands'), refuse()];
    }
    case 'mcp': {
      const server = makeVisibleLine(details.serverName);
      const tool = makeVisibleLine(details.toolName);
      return [
        once,
        { label: `Yes, and until you leave also ${tool}, with any arguments`, value: 'proceed_always_tool' },
        {
          label: `Yes, and until you leave also every tool of ${server}`,
          value: 'proceed_always_server',
          below: nameTools(serverTools?.(details.serverName) ?? []),
        },
        ...permanent(`for ${tool}, in every folder, with any arguments, until the tool changes`),
        refuse(),
      ];
    }
    case 'info': {
      // The rule that is made covers every address.
      const what = details.urls?.length ? 'every other page, of any host' : 'the same again';
      return [once, session(what), ...permanent(`for ${what}`), refuse()];
    }
    case 'sandbox_expansion':
      return [once, refuse()];
    default:
      return assertNever(details);
  }
}

/** All that the answer grants, in one paragraph. */
function nameTools(tools: readonly ServerTool[]): readonly string[] {
  if (tools.length === 0) return [];
  return [`${tools.length} now: ${tools.map(({ name }) => makeVisibleLine(name)).join(', ')}`];
}
