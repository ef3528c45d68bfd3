/** Asks for consent to MCP servers of a project: it shows what each would run or connect to. The default is no. */

import { describeServer } from '@castor/core/program';
import type { UnsettledServer } from '@castor/core/program';
import { makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost } from './dialog-host.ts';

export async function askAboutServers(
  unsettled: readonly UnsettledServer[],
  host: DialogHost,
  signal: AbortSignal,
): Promise<boolean> {
  const hasChanged = unsettled.some(({ state }) => state === 'changed');
  const what = unsettled.length === 1 ? 'an MCP server' : `${unsettled.length} MCP servers`;
  const answer = await host.choose(
    {
      title: `This project wants to start ${what} with your permissions`,
      body: ({ width, styles }) => [
        ...unsettled.flatMap(({ server, state }) => [
          ...wrapRows(makeVisibleLine(describeServer(server)), { width: width - 4, first: '- ' }),
          ...(state === 'changed' ? [styles.warning('  changed since you agreed to it')] : []),
        ]),
        ...wrapRows(
          styles.secondary(
            hasChanged
              ? '.gemini/settings.json has changed. Castor asks again after every change.'
              : 'They are in .gemini/settings.json. Castor asks again after every change.',
          ),
          { width: width - 4 },
        ),
      ],
      options: [
        { label: "Don't start (ask again next time)", value: 'no' },
        { label: unsettled.length === 1 ? 'Start it' : 'Start them', value: 'yes' },
      ],
      escape: 'no',
      escapes: 'asks again next time',
    },
    signal,
  );
  return answer === 'yes';
}
