/** Warnings about the folder the user started in. Pure. */

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

const HOME =
  'Castor runs in your home folder and treats all of it as the project. Start it in a project folder, or disable this warning with ui.showHomeDirectoryWarning.';

function compatibilityWarnings(environment: Start['environment']): string[] {
  if (environment['TERM'] === 'dumb') return ['The terminal has no capabilities (TERM=dumb). Try --screen-reader.'];
  if (colorDepthOf(environment) !== 'ansi16') return [];
  return ['The terminal has few colours (TERM). Code and diffs look better with 256 or more.'];
}
