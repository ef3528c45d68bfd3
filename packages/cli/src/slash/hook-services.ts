/**
 * The services of `/hooks`: the page and the switches of `castor hooks` for the folder of a session, applied to the
 * session at once. Loaded on demand.
 */

import type { WorkspaceAgent } from '@castor/core';
import type { HookFolder } from '../commands/find-hooks.ts';
import type { CommandServices } from './command.ts';

export function createHookServices(
  folder: HookFolder,
  { hooks: session }: Pick<WorkspaceAgent, 'hooks'>,
): Required<Pick<CommandServices, 'describeHooks' | 'switchHooks'>> {
  return {
    async describeHooks() {
      const [{ findHooks, mayRun }, { describeHooks, isUnread, UNREAD }] = await Promise.all([
        import('../commands/find-hooks.ts'),
        import('../commands/hooks-list.ts'),
      ]);
      const found = await findHooks(folder);
      const isWaiting = found.hooks.some((hook) => !mayRun(hook, found));
      return [
        ...found.problems,
        ...(isUnread(found, folder.cwd) ? [`Incomplete: ${UNREAD}`] : []),
        describeHooks(found),
        ...(isWaiting ? ['To allow new and changed hooks of this project: castor hooks trust'] : []),
      ].join('\n\n');
    },

    async switchHooks(what, name) {
      const [{ userSettingsPath }, { findHooks }, { findStillOff, STILL_OFF, writeSwitch }] = await Promise.all([
        import('@castor/core/program'),
        import('../commands/find-hooks.ts'),
        import('../commands/hooks-switch.ts'),
      ]);
      const known = [...new Set((await findHooks(folder)).hooks.map((hook) => hook.name))];
      const names = name === undefined ? known : known.filter((one) => one === name);
      if (names.length === 0) throw new Error(toUnknown(name, known));
      writeSwitch(what, names, userSettingsPath(folder.home), folder);
      const off = await findStillOff(names, folder);
      for (const one of names) session?.setEnabled(one, !off.includes(one));
      const subject = name ?? (names.length === 1 ? 'One hook' : `${names.length} hooks`);
      const verb = name === undefined && names.length > 1 ? 'are' : 'is';
      const said = `${subject} ${verb} ${what}d, in this session and in ${userSettingsPath(folder.home)}.`;
      return what === 'enable' && off.length > 0 ? `${said} But of ${off.join(', ')}: ${STILL_OFF}` : said;
    },
  };
}

function toUnknown(name: string | undefined, known: readonly string[]): string {
  if (name === undefined || known.length === 0) return 'This folder has no hooks.';
  return `Unknown hook "${name}". Known hooks: ${known.join(', ')}`;
}
