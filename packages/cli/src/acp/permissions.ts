/**
 * The answers a user of an editor may give before a call runs, by the ids scripts know from Gemini CLI, and the
 * agent's response to each. Pure.
 */

import type { PermissionOption, PermissionOptionKind, ToolCallContent } from '@agentclientprotocol/sdk';
import { assertNever } from '@castor/core';
import type { ConfirmationPayload, FileDiff, ToolCallConfirmationDetails, ToolConfirmationOutcome } from '@castor/core';
import { makeVisible, makeVisibleLine } from '../make-visible.ts';

export interface PermissionResponse {
  readonly outcome: ToolConfirmationOutcome;
  readonly payload?: ConfirmationPayload;
}

export interface PermissionLimits {
  /** False with `security.disableAlwaysAllow`. */
  readonly allowsAlways: boolean;
  /** `security.enablePermanentToolApproval`. */
  readonly allowsPermanent: boolean;
  /** Whether the mode that accepts edits is available: only in a trusted folder. */
  readonly allowsEdits: boolean;
}

const ONCE = option('proceed_once', 'Allow', 'allow_once');
export const REJECT = option('cancel', 'Reject', 'reject_once');

export function permissionOptions(details: ToolCallConfirmationDetails, limits: PermissionLimits): PermissionOption[] {
  if (details.type === 'exit_plan_mode') {
    const edits = option('proceed_always', 'Allow, and accept edits without asking', 'allow_always');
    return [
      option('proceed_once', 'Allow, and ask before every edit', 'allow_once'),
      ...(limits.allowsEdits ? [edits] : []),
      option('cancel', 'Reject, and continue planning', 'reject_once'),
    ];
  }
  const lasting = limits.allowsAlways ? lastingOptions(details) : [];
  const permitted = limits.allowsPermanent
    ? lasting
    : lasting.filter(({ optionId }) => optionId !== 'proceed_always_and_save');
  return [...permitted, ONCE, REJECT];
}

function lastingOptions(details: ToolCallConfirmationDetails): PermissionOption[] {
  const session = option('proceed_always', 'Allow for this session', 'allow_always');
  const saved = (name: string) => option('proceed_always_and_save', name, 'allow_always');
  switch (details.type) {
    case 'edit':
      return [session, saved('Allow for this file in all future sessions')];
    case 'exec':
      // Answers that would change nothing are not offered.
      return details.alwaysCovers?.length === 0 ? [] : [session, saved('Allow this command for all future sessions')];
    case 'info':
      return [session, saved('Allow for all future sessions')];
    case 'mcp':
      return [
        option('proceed_always_server', 'Allow all server tools for this session', 'allow_always'),
        option('proceed_always_tool', 'Allow tool for this session', 'allow_always'),
        saved('Allow tool for all future sessions'),
      ];
    case 'sandbox_expansion':
    case 'exit_plan_mode':
    case 'ask_user':
      return [];
    default:
      return assertNever(details);
  }
}

/** Undefined for an id that was not offered. */
export function responseTo(
  details: ToolCallConfirmationDetails,
  optionId: string | undefined,
  options: readonly PermissionOption[],
): PermissionResponse | undefined {
  if (optionId === undefined) return { outcome: 'cancel' };
  if (!options.some((each) => each.optionId === optionId)) return undefined;
  const outcome = optionId as ToolConfirmationOutcome;
  if (details.type !== 'exit_plan_mode') return { outcome };
  if (outcome === 'cancel') return { outcome: 'proceed_once', payload: { approved: false } };
  const approvalMode = outcome === 'proceed_always' ? 'autoEdit' : 'default';
  return { outcome: 'proceed_once', payload: { approved: true, approvalMode } };
}

/** What the call would do, to its last character. */
export function describeQuestion(details: ToolCallConfirmationDetails): ToolCallContent[] {
  switch (details.type) {
    case 'edit':
      return (details.files ?? [details]).map(diffContent);
    case 'exec': {
      const { command, reason, alwaysCovers = [] } = details;
      const covered = alwaysCovers.map((each) => `\`${makeVisibleLine(each)}\``).join(', ');
      return [
        textContent(fence(makeVisible(command))),
        ...(reason === undefined ? [] : [textContent(`Castor asks because ${makeVisible(reason)}`)]),
        ...(covered === '' ? [] : [textContent(`"For this session" covers ${covered}.`)]),
      ];
    }
    case 'info':
      return [textContent([makeVisible(details.prompt), ...(details.urls ?? []).map(makeVisibleLine)].join('\n'))];
    case 'mcp': {
      const { serverName, toolName, args, changed } = details;
      const head = `Server ${makeVisibleLine(serverName)}, tool ${makeVisibleLine(toolName)}`;
      return [
        textContent(head),
        ...(changed === undefined ? [] : [textContent(makeVisible(changed))]),
        ...(args === undefined ? [] : [textContent(fence(makeVisible(JSON.stringify(args, null, 2))))]),
      ];
    }
    case 'sandbox_expansion': {
      const rights = makeVisibleLine(JSON.stringify(details.permissions));
      return [textContent(fence(makeVisible(details.command))), textContent(`More rights: ${rights}`)];
    }
    case 'exit_plan_mode':
      return [
        textContent(`The plan: ${makeVisibleLine(details.planPath)}`),
        ...(details.plan === undefined ? [] : [textContent(makeVisible(details.plan))]),
      ];
    case 'ask_user':
      return details.questions.map(({ question }) => textContent(makeVisible(question)));
    default:
      return assertNever(details);
  }
}

export function diffContent(diff: Omit<FileDiff, 'diffStat'>): ToolCallContent {
  const { filePath, originalContent, newContent, isNewFile, isDeleted } = diff;
  const oldText = isNewFile ? null : originalContent;
  const kind = oldText === null ? 'add' : isDeleted ? 'delete' : 'modify';
  return { type: 'diff', path: filePath, oldText, newText: newContent, _meta: { kind } };
}

export function option(optionId: string, name: string, kind: PermissionOptionKind): PermissionOption {
  return { optionId, name, kind };
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** No text can close the fence it is shown in. */
export function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const bar = '`'.repeat(longest + 1);
  return `${bar}\n${text}\n${bar}`;
}
