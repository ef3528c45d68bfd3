/** `/editor`: chooses the program that edits prompts and proposed changes. */

import { EDITOR_NAMES, editorCommand } from '../../editor-command.ts';
import type { App } from '../app/app.ts';
import { saveChoice } from '../app/save-choice.ts';

export async function chooseEditor(app: App, signal: AbortSignal): Promise<void> {
  const { start } = app.state;
  if (!start) return;
  const { general } = start.settings;
  const usual = editorCommand({ ...general, preferredEditor: undefined }, start.environment);
  const options = [
    { label: usual, value: '', hint: 'from VISUAL or EDITOR' },
    ...EDITOR_NAMES.map((name) => ({
      label: name,
      value: name,
      hint: editorCommand({ ...general, preferredEditor: name }, start.environment),
    })),
  ];
  const initial = Math.max(
    0,
    options.findIndex(({ value }) => value === (general.preferredEditor ?? '')),
  );
  const name = await app.dialogs.choose({ title: 'Editor', options, initial }, signal);
  if (name === undefined) return;
  saveChoice(app, 'general.preferredEditor', name || undefined, `The editor is ${name || usual}.`);
}
