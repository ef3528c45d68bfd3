/** Asks whether to trust a folder, once, in folders without a trust decision; the default is no. */

import { basename, dirname } from 'node:path';
import type { TrustLevel } from '@castor/core/program';
import { makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost } from './dialog-host.ts';

export interface TrustSubject {
  readonly folder: string;
  /** What the folder would configure: settings, hooks, commands … in the user's terms. */
  readonly wouldLoad: readonly string[];
  /** The programs it would start, a line for each. */
  readonly wouldRun: readonly string[];
}

const EMPTY =
  'This folder has no configuration now. If you trust it, Castor will load any settings and commands it gets later.';

/** Undefined: not now; Castor works in the folder and ignores what it configures. */
export function askAboutTrust(
  { folder, wouldLoad, wouldRun }: TrustSubject,
  host: DialogHost,
  signal: AbortSignal,
): Promise<TrustLevel | 'later' | undefined> {
  const parent = basename(dirname(folder));
  return host.choose<TrustLevel | 'later'>(
    {
      title: 'Trust this folder?',
      body: ({ width, styles }) => [
        ...wrapRows(styles.link(makeVisibleLine(folder)), { width: width - 4 }),
        '',
        ...(wouldLoad.length === 0
          ? wrapRows(EMPTY, { width: width - 4 })
          : [...wrapRows('If you trust it, Castor loads:', { width: width - 4 }), ...listRows(wouldLoad, width)]),
        ...(wouldRun.length === 0
          ? []
          : [
              '',
              ...wrapRows(styles.warning('! With your permissions it would run:'), { width: width - 4, rest: '  ' }),
              ...listRows(wouldRun, width),
            ]),
      ],
      options: [
        { label: "Don't trust (ask again next time)", value: 'later' },
        { label: 'Trust this folder', value: 'TRUST_FOLDER' },
        ...(parent === ''
          ? []
          : [{ label: `Trust everything in ${makeVisibleLine(parent)}`, value: 'TRUST_PARENT' } as const]),
        { label: 'Never trust this folder', value: 'DO_NOT_TRUST' },
      ],
      escape: 'later',
      escapes: 'asks again next time',
    },
    signal,
  );
}

/** A row each. */
function listRows(items: readonly string[], width: number): string[] {
  return items.flatMap((item) => wrapRows(makeVisibleLine(item), { width: width - 4, first: '- ' }));
}
