/** `/theme`: chooses the colours, with a preview while the user moves through them. */

import type { App } from '../app.ts';
import { saveChoice } from '../save-choice.ts';
import { loadCustomThemes } from '../theme/source-themes.ts';
import { themeNames } from '../theme/theme.ts';

export async function chooseTheme(app: App, signal: AbortSignal): Promise<void> {
  const { settings, sources } = app.state.start!;
  const { customThemes } = loadCustomThemes(settings.ui.customThemes, sources);
  const before = settings.ui.theme;
  const names = themeNames(customThemes);
  const preview = (name: string) => void app.appearance.use({ name, customThemes });
  const name = await app.dialogs.choose(
    {
      title: app.appearance.hasColors ? 'Theme' : 'Theme (this terminal shows no colours)',
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
