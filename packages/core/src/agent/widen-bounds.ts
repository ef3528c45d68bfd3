/**
 * Asks, before a command runs in a sandbox, about what always needs the user: a path that the command names in advance,
 * leaving the sandbox, and deleting what undo does not keep. No mode answers these questions.
 */

import { resolve } from 'node:path';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { BoundsDesk } from '../sandbox/bounds-desk.ts';
import { accessOf, nearestExisting } from '../sandbox/find-denials.ts';
import type { SandboxFile } from '../sandbox/sandbox-file.ts';
import type { SandboxPlan } from '../sandbox/sandbox-plan.ts';
import type { WidenRequest, Widened } from '../tools/shell/command-permissions.ts';
import type { UndoCoverage } from '../undo/undo-limits.ts';

export interface WidenOptions {
  desk: BoundsDesk;
  plan(): SandboxPlan;
  home: string;
  roots: readonly string[];
  coverage: UndoCoverage;
  /** Whether commands run unasked in this mode. */
  isUnasked(mode: ApprovalMode): boolean;
  mode(): ApprovalMode;
  /** Gemini CLI's own file, where the user has one. */
  file?: SandboxFile | undefined;
}

const LEAVE_REFUSED =
  'Not run: the user did not let this command leave the sandbox. Run it inside, or tell the user what is needed.';
const LEAVE_NEVER =
  'Not run: no command leaves the sandbox in plan mode, or in a folder that the user does not trust. Run it inside.';

export async function widenBounds(request: WidenRequest, options: WidenOptions): Promise<Widened> {
  const { command, permissions } = request;
  const { desk } = options;
  const refused = await refuseDeletion(request, options);
  if (refused !== undefined) return { refusal: refused };
  if (permissions?.outside_sandbox) {
    if (options.plan().profile === 'read-only') return { refusal: LEAVE_NEVER };
    const isAllowed = await desk.confirm({ kind: 'leave', what: command, command });
    return isAllowed ? { isUnconfined: true } : { refusal: LEAVE_REFUSED };
  }
  const closing = await openNamed(request, options);
  const close = () => {
    for (const each of closing) each();
  };
  for (const kind of ['write', 'read'] as const)
    for (const path of permissions?.fileSystem?.[kind] ?? []) {
      const what = nearestExisting(resolve(request.directory, path.replace(/^~(?=$|\/)/, options.home)));
      const access = accessOf(options.plan(), what);
      if (access === 'writable' || (kind === 'read' && access === 'read-only')) continue;
      const answer = await desk.request({ kind, what, command });
      if (answer === 'once') closing.push(desk.openOnce(kind, what));
      if (answer !== 'no') continue;
      close();
      return { refusal: `Not run: the user did not let the command ${kind} ${what}.` };
    }
  return { close };
}

/** What the user opened in Gemini CLI for this command by its name. A place of credentials is opened for reading only. */
async function openNamed({ command }: WidenRequest, { desk, file, home, plan }: WidenOptions): Promise<(() => void)[]> {
  if (!file || file.commands.length === 0 || plan().profile === 'read-only') return [];
  const { grantOfLine } = await import('./named-grants.ts');
  const grant = await grantOfLine(command, file);
  if (!grant) return [];
  const paths = grant.paths.map((path) => resolve(path.replace(/^~(?=$|\/)/, home)));
  return [
    ...paths.map((path) => desk.openOnce(accessOf(plan(), path) === 'hidden' ? 'read' : 'write', path)),
    ...(grant.hasNetwork ? [desk.openRegistries()] : []),
  ];
}

/** Where the user approved the command, the question about it was the question. */
async function refuseDeletion(
  { command, directory }: WidenRequest,
  { desk, home, roots, coverage, isUnasked, mode }: WidenOptions,
): Promise<string | undefined> {
  if (!isUnasked(mode())) return undefined;
  const { findUncoveredDeletion } = await import('./uncovered-deletions.ts');
  const found = await findUncoveredDeletion(command, { directory, home, roots, coverage });
  if (!found) return undefined;
  const what = `${found.path} (${found.because})`;
  if (await desk.confirm({ kind: 'delete', what, command })) return undefined;
  return `Not run: it deletes or overwrites ${what}, which cannot be undone, and the user did not allow that.`;
}
