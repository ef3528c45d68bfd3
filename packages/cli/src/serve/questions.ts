/**
 * Turns a question of the agent into a form for the user behind the client, and the filled form into the agent's
 * answer. The form says everything the call would do. Lasting answers are not offered: a client is a program, and it
 * may answer by itself. Pure.
 */

import { assertNever } from '@castor/core';
import type {
  AskUserQuestion,
  ConfirmationPayload,
  FallbackIntent,
  ToolCallConfirmationDetails,
  ToolConfirmationOutcome,
} from '@castor/core';
import { makeVisible, makeVisibleLine } from '../make-visible.ts';
import type { Answer, Question } from './client-session.ts';

export interface Response {
  readonly outcome: ToolConfirmationOutcome;
  readonly payload?: ConfirmationPayload;
}

const DECISIONS: Readonly<Record<string, ToolConfirmationOutcome>> = {
  'Allow once': 'proceed_once',
  'Allow for the rest of this prompt': 'proceed_always',
  No: 'cancel',
};

const DECIDE = {
  properties: { decision: { type: 'string', title: 'Decision', enum: Object.keys(DECISIONS) } },
  required: ['decision'],
};

const PLAN_MODES: Readonly<Record<string, string | undefined>> = {
  'Yes, and ask before every edit': 'default',
  'Yes, and accept edits without asking': 'autoEdit',
  'No, describe the changes': undefined,
};

export function questionOf(details: ToolCallConfirmationDetails, isOfChild: boolean): Question {
  if (details.type === 'ask_user') return askUserForm(details.questions);
  const asker = isOfChild ? 'A sub-agent of Castor' : 'Castor';
  if (details.type === 'exit_plan_mode') {
    return {
      message: [
        `${asker} has a plan: ${makeVisibleLine(details.planPath)}. Approve it?`,
        ...(details.plan === undefined ? [] : [makeVisible(details.plan)]),
      ].join('\n\n'),
      properties: {
        decision: { type: 'string', title: 'Decision', enum: Object.keys(PLAN_MODES) },
        feedback: { type: 'string', title: 'What should change' },
      },
      required: ['decision'],
    };
  }
  return { message: `${asker} wants to ${describe(details)}`, ...DECIDE };
}

export function responseTo(details: ToolCallConfirmationDetails, answer: Answer): Response {
  if (!answer) return { outcome: 'cancel' };
  if (details.type === 'ask_user') {
    const answers = Object.fromEntries(
      details.questions.map((_question, index) => [String(index), textOf(answer[`answer_${index + 1}`])]),
    );
    return { outcome: 'proceed_once', payload: { answers } };
  }
  const decision = textOf(answer['decision']);
  if (details.type === 'exit_plan_mode') {
    const approvalMode = PLAN_MODES[decision];
    if (approvalMode !== undefined) return { outcome: 'proceed_once', payload: { approved: true, approvalMode } };
    const feedback = textOf(answer['feedback']).trim();
    return { outcome: 'proceed_once', payload: { approved: false, ...(feedback !== '' && { feedback }) } };
  }
  const outcome = Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision]! : 'cancel';
  return { outcome: outcome === 'proceed_always' && details.type === 'mcp' ? 'proceed_always_tool' : outcome };
}

export function fallbackQuestion(message: string, fallbackModel: string): Question {
  return {
    message: `${makeVisible(message)}\nContinue with ${makeVisibleLine(fallbackModel)}?`,
    properties: { decision: { type: 'string', title: 'Decision', enum: ['Continue', 'Stop'] } },
    required: ['decision'],
  };
}

export function fallbackIntent(answer: Answer): FallbackIntent {
  return answer?.['decision'] === 'Continue' ? 'retry_always' : 'stop';
}

type Action = Exclude<ToolCallConfirmationDetails, { type: 'ask_user' | 'exit_plan_mode' }>;

function describe(details: Action): string {
  switch (details.type) {
    case 'edit':
      return `change ${makeVisibleLine(details.filePath)}:\n\n${makeVisible(details.fileDiff)}`;
    case 'exec': {
      const reason = details.reason === undefined ? '' : `\n\nCastor asks because ${makeVisibleLine(details.reason)}`;
      return `run this command:\n\n${makeVisible(details.command)}${reason}`;
    }
    case 'info':
      return `do this:\n\n${[makeVisible(details.prompt), ...(details.urls ?? []).map(makeVisibleLine)].join('\n')}`;
    case 'mcp': {
      const { serverName, toolName, args, changed } = details;
      const sent = args === undefined ? '' : `\n\n${makeVisible(JSON.stringify(args, null, 2))}`;
      const note = changed === undefined ? '' : `\n\n${makeVisible(changed)}`;
      return `call ${makeVisibleLine(toolName)} of the MCP server ${makeVisibleLine(serverName)}.${note}${sent}`;
    }
    case 'sandbox_expansion':
      return `run this command with more rights (${makeVisibleLine(JSON.stringify(details.permissions))}):\n\n${makeVisible(details.command)}`;
    default:
      return assertNever(details);
  }
}

function askUserForm(questions: readonly AskUserQuestion[]): Question {
  const fields = questions.map((question, index) => [`answer_${index + 1}`, fieldOf(question)] as const);
  return {
    message: 'Castor has a question.',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
  };
}

function fieldOf({ question, header, type, options = [], multiSelect = false }: AskUserQuestion) {
  const field = { type: 'string', title: makeVisibleLine(header || 'A question') };
  const choices = type === 'yesno' ? ['Yes', 'No'] : options.map(({ label }) => label);
  const description = makeVisible(question);
  if (type === 'text' || choices.length === 0) return { ...field, description };
  // The forms of the protocol have no list, and a user may answer something else.
  if (type === 'choice') {
    const offered = options.map(({ label, description: about }) => (about === '' ? label : `${label} (${about})`));
    const how = multiSelect ? 'Any of these, with commas between them' : 'One of these, or your own words';
    return { ...field, description: `${description}\n${how}: ${offered.map(makeVisibleLine).join('; ')}` };
  }
  return { ...field, description, enum: choices };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
