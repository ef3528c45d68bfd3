/** Asks whether stopping a repeating model was right. */

import type { DialogHost } from './dialog-host.ts';

export function askAboutLoop(host: DialogHost, signal: AbortSignal): Promise<'keep' | 'disable' | undefined> {
  return host.choose<'keep' | 'disable'>(
    {
      title: 'A potential loop was detected.',
      options: [
        { label: 'Keep loop detection on', value: 'keep' },
        { label: 'Disable it for this session and continue', value: 'disable' },
      ],
      escape: 'keep',
      escapes: 'keeps it on',
    },
    signal,
  );
}
