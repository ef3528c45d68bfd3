/** Builds the first turn of a session: where and when it takes place. */

import type { Content } from '../protocol/content.ts';

export interface EnvironmentContextOptions {
  now: Date;
  platform: string;
  directories: readonly string[];
  tempDirectory: string;
  /** The bounds of commands, in one sentence, if they have any. */
  bounds?: string;
  /** The folder's tree, bounded, if requested. */
  tree?: string;
  /** The context files of extensions and the project. */
  memory?: string;
}

export function createEnvironmentContext(options: EnvironmentContextOptions): Content {
  const { now, platform, directories, tempDirectory, bounds, tree, memory } = options;
  const lines = [
    'This is the Castor CLI.',
    `Today's date is ${toLongDate(now)}.`,
    `The operating system is ${platform}.`,
    `The project's temporary directory is ${tempDirectory}.`,
    `Workspace directories:\n${directories.map((directory) => `  - ${directory}`).join('\n')}`,
    bounds,
    tree,
    memory,
  ];
  const text = `<session_context>\n${lines.filter(Boolean).join('\n')}\n</session_context>`;
  return { role: 'user', parts: [{ text }] };
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Formatted by hand: the first use of `Intl` costs every start 12 ms. */
function toLongDate(date: Date): string {
  return `${DAYS[date.getDay()]}, ${MONTHS[date.getMonth()]} ${date.getDate()}, ${date.getFullYear()}`;
}
