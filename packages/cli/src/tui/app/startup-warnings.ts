/** Warnings about the folder and the terminal the user started in, and how many of all warnings a start shows. Pure. */

import type { Start } from '../../start/start.ts';
import { unknownEditor } from '../../editor-command.ts';
import { colorDepthOf } from '../theme/color-depth.ts';

export function startupWarnings({ settings, cwd, home, environment }: Start): string[] {
  const { ui, general } = settings;
  const editor = unknownEditor(general);
  return [
    ...(ui.showHomeDirectoryWarning && cwd === home ? [HOME] : []),
    ...(ui.showCompatibilityWarnings ? compatibilityWarnings(environment) : []),
    ...(editor === undefined ? [] : [editor]),
  ];
}

/** Of the warnings that `castor doctor` repeats. */
const MOST_WARNINGS = 3;

/** The first ones; the rest is counted, and `castor doctor` shows it. */
export function capWarnings(warnings: readonly string[]): string[] {
  // A row that says "1 more" takes the place of that one.
  if (warnings.length <= MOST_WARNINGS + 1) return [...warnings];
  return [...warnings.slice(0, MOST_WARNINGS), `${warnings.length - MOST_WARNINGS} more: castor doctor`];
}

const HOME =
  'Castor runs in your home folder and treats all of it as the project. Start it in a project folder, or disable this warning with ui.showHomeDirectoryWarning.';

function compatibilityWarnings(environment: Start['environment']): string[] {
  if (environment['TERM'] === 'dumb') return ['The terminal has no capabilities (TERM=dumb). Try --screen-reader.'];
  if (colorDepthOf(environment) !== 'ansi16') return [];
  return ['The terminal has few colours (TERM). Code and diffs look better with 256 or more.'];
}
