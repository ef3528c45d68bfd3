/** `/theme`: colours, shown while one moves through them. */

import type { App } from '../app.ts';
import { saveChoice } from '../save-choice.ts';
import { themeNames } from '../theme/theme.ts';

export async function chooseTheme(app: App, signal: AbortSignal): Promise<void> {
  const { customThemes } = app.state.start?.settings.ui ?? { customThemes: {} };
  const before = app.state.start?.settings.ui.theme;
  const names = themeNames(customThemes);
  const preview = (name: string) => void app.appearance.use({ name, customThemes });
  const name = await app.dialogs.choose(
    {
      title: app.appearance.hasColors ? 'Theme' : 'Theme (nothing is coloured here)',
      options: names.map((each) => ({ label: each, value: each })),
      initial: Math.max(0, names.indexOf(app.appearance.themeName)),
      onMove: preview,
    },
    signal,
  );
  if (name === undefined) {
    app.appearance.use({ name: before, customThemes });
    return;
  }
  preview(name);
  saveChoice(app, 'ui.theme', name, `The theme is ${name}.`);
}
