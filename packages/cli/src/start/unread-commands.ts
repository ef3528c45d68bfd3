/** Tells the user of commands of other agents that Castor would read if a setting allowed it. */

import type { Source } from '@castor/core';
import { countOf, countUnreadCommands } from '@castor/core/program';
import type { CommandFileOptions } from '@castor/core/program';

const OWNERS = { claude: 'Claude Code', codex: 'codex' } as const;

/** At most one line. */
export async function describeUnreadCommands(
  sources: readonly Source[],
  options: CommandFileOptions | undefined,
): Promise<string[]> {
  const unread = await countUnreadCommands(sources, options);
  if (unread.length === 0) return [];
  const counts = unread.map(({ agent, count }) => `${countOf(count, 'command')} of ${OWNERS[agent]}`).join(' and ');
  const agents = [...(options?.readFilesOf ?? []), ...unread.map(({ agent }) => agent)];
  return [`${counts} not read. To read them: castor config set castor.readFilesOf '${JSON.stringify(agents)}'`];
}
