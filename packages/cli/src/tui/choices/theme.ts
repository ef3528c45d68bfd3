/** `/theme`: chooses the colours, with a sample while the user moves through them. */

import type { App } from '../app/app.ts';
import { saveChoice } from '../app/save-choice.ts';
import { loadCustomThemes } from '../theme/source-themes.ts';
import { findFaintColors } from '../theme/faint-colors.ts';
import { chooseTheme as findTheme, themeNames, typeOfTheme } from '../theme/theme.ts';
import { themeSample } from './theme-sample.ts';

export async function chooseTheme(app: App, signal: AbortSignal): Promise<void> {
  const { settings, sources } = app.state.start!;
  const { customThemes } = loadCustomThemes(settings.ui.customThemes, sources);
  const before = settings.ui.theme;
  const names = themeNames(customThemes);
  const show = (name: string) => void app.appearance.use({ name, customThemes });
  const { hasColors, paper } = app.appearance;
  const faintIn = (each: string) =>
    hasColors && paper !== undefined ? findFaintColors(findTheme({ name: each, customThemes }).theme, paper) : [];
  const name = await app.dialogs.choose(
    {
      title: hasColors ? 'Theme' : 'Theme (this terminal shows no colours)',
      options: names.map((each) => ({ label: each, value: each, hint: typeOfTheme(each) })),
      search: true,
      initial: Math.max(0, names.indexOf(app.appearance.themeName)),
      onMove: show,
      preview: (each, { styles, width }) => themeSample(styles, width, app.grammars, faintIn(each)),
      previewsBeside: true,
      escapes: 'keeps what was',
    },
    signal,
  );
  if (name === undefined) {
    app.appearance.use({ name: before, customThemes });
    return;
  }
  show(name);
  saveChoice(app, 'ui.theme', name, `The theme is ${name}.`);
}
