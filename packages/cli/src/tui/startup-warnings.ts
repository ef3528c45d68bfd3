/** What a person should know about where they started. Pure. */

import type { Start } from '../start/start.ts';
import { unknownEditor } from '../editor-command.ts';
import { colorDepthOf } from './theme/color-depth.ts';

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
  'This is your home folder: everything in it is the project. Start in the folder of a project, or silence this with ui.showHomeDirectoryWarning.';

function compatibilityWarnings(environment: Start['environment']): string[] {
  if (environment['TERM'] === 'dumb')
    return ['The terminal says that it can do nothing (TERM=dumb). Try --screen-reader.'];
  if (colorDepthOf(environment) !== 'ansi16') return [];
  return ['The terminal has few colours (TERM). One with 256 or more shows code and diffs better.'];
}
