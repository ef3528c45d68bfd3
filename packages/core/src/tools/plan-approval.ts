/** Checks the plan that exit_plan_mode presents, and carries out the user's answer. Loaded when a plan is presented. */

import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ToolError } from '../protocol/errors.ts';
import type { ToolCallConfirmationDetails, ToolContext } from '../protocol/tools.ts';
import { throwIfAborted } from '../util/clock.ts';
import { openRegularFile, toFileError } from './files/opened-file.ts';

/** The modes in which the user may proceed. */
type NextMode = 'default' | 'autoEdit' | 'yolo';

const MODE_NAMES: Readonly<Record<NextMode, string>> = {
  default: 'Default mode (edits will require approval)',
  autoEdit: 'Auto-Edit mode (edits will be applied automatically)',
  yolo: 'YOLO mode (all tool calls auto-approved)',
};

/** What the user is shown of a plan; a longer one goes on in its file. */
const SHOWN_BYTES = 262_144;

export interface ExitPlanModeDependencies {
  plansDirectory: string;
  setApprovalMode(mode: NextMode): void;
  setApprovedPlan(path: string): void;
  /** Set in a headless run in which the user approved everything beforehand. */
  unattendedMode?: 'yolo';
}

/** Throws ToolError for a plan that cannot be presented. */
export async function presentPlan(plansDirectory: string, name: string): Promise<ToolCallConfirmationDetails> {
  const { path: planPath, text: plan } = await checkPlan(plansDirectory, name);
  return { type: 'exit_plan_mode', title: 'Plan Approval', planPath, plan };
}

export async function concludePlan(
  name: string,
  { confirmation, signal }: Pick<ToolContext, 'confirmation' | 'signal'>,
  { plansDirectory, setApprovalMode, setApprovedPlan, unattendedMode }: ExitPlanModeDependencies,
): Promise<{ llmContent: string; returnDisplay: string }> {
  const { path: planPath } = await checkPlan(plansDirectory, name);
  throwIfAborted(signal);
  const mode = confirmation?.approved ? toNextMode(confirmation.approvalMode) : undefined;
  const nextMode = mode ?? (confirmation === undefined ? unattendedMode : undefined);
  if (nextMode === undefined)
    return confirmation === undefined ? toUnanswered(planPath) : toRejection(planPath, confirmation.feedback);
  setApprovalMode(nextMode);
  setApprovedPlan(planPath);
  return {
    llmContent: `Plan approved. Switching to ${MODE_NAMES[nextMode]}.\n\nThe approved implementation plan is stored at: ${planPath}\nRead and follow the plan strictly during implementation.`,
    returnDisplay: `Plan approved: ${planPath}`,
  };
}

function toNextMode(mode: string | undefined): 'default' | 'autoEdit' {
  return mode === 'autoEdit' || mode === 'auto_edit' ? 'autoEdit' : 'default';
}

/** Without a user there is no feedback; a model told to ask for it would only retry. */
function toUnanswered(planPath: string): { llmContent: string; returnDisplay: string } {
  return {
    llmContent: `Plan not approved: a headless run has no user to approve it.\n\nThe plan is stored at: ${planPath}\nStay in Plan mode: return the plan as your answer and stop.`,
    returnDisplay: 'Not approved (headless run)',
  };
}

function toRejection(planPath: string, feedback: string | undefined): { llmContent: string; returnDisplay: string } {
  const said = feedback?.trim();
  return said
    ? {
        llmContent: `Plan rejected. User feedback: ${said}\n\nThe plan is stored at: ${planPath}\nRevise the plan based on the feedback.`,
        returnDisplay: `Feedback: ${said}`,
      }
    : {
        llmContent: `Plan rejected. No feedback provided.\n\nThe plan is stored at: ${planPath}\nAsk the user for specific feedback on how to improve the plan.`,
        returnDisplay: 'Rejected (no feedback)',
      };
}

/** The real path of a non-empty plan, and its text; throws ToolError for anything else. */
async function checkPlan(plansDirectory: string, name: string): Promise<{ path: string; text: string }> {
  const given = join(plansDirectory, name.replaceAll('\0', ''));
  let directory: string;
  let path: string;
  try {
    directory = await realpath(plansDirectory);
    path = await realpath(given);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw toFileError(error, given, 'read_content_failure');
    const message = `Plan file does not exist: ${given}. Create the plan before leaving Plan mode.`;
    throw new ToolError(message, 'file_not_found', { cause: error });
  }
  if (!path.startsWith(directory + sep)) {
    throw new ToolError(
      `Access denied: the plan must be inside the plans directory ${plansDirectory}.`,
      'path_not_in_workspace',
    );
  }
  const file = openRegularFile(path);
  try {
    const beginning = Buffer.alloc(SHOWN_BYTES);
    const length = await file.read(beginning);
    const text = beginning.toString('utf8', 0, length);
    const isCut = file.stat.size > length;
    if (text.trim() !== '') return { path, text: isCut ? `${text}\n… the plan continues in ${path}` : text };
  } finally {
    file.close();
  }
  throw new ToolError(`Plan file is empty: ${given}. Write the plan before leaving Plan mode.`, 'read_content_failure');
}
