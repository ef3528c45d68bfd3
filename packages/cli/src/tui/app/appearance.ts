/** Owns the colours in force and their changes: by setting, by choice, by the terminal's background. */

import { colorDepthOf } from '../theme/color-depth.ts';
import type { ColorDepth } from '../theme/color-depth.ts';
import { backgroundOfEnvironment } from '../theme/detect-background.ts';
import type { Background, ToldBackground } from '../theme/detect-background.ts';
import { createStyles } from '../theme/styles.ts';
import type { Styles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import type { ThemeChoice } from '../theme/theme.ts';

/** Of a terminal that says no more than whether it is dark. */
const PAPERS: Readonly<Record<Background, string>> = { dark: '#1e1e1e', light: '#ffffff' };

export class Appearance {
  styles: Styles;
  themeName: string;
  private depth: ColorDepth;
  private background: Background | undefined;
  private choice: ThemeChoice = {};
  private hasBackgrounds = true;
  private isSpoken = false;
  private told: string | undefined;
  private readonly hasWeight: boolean;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.depth = colorDepthOf(environment);
    this.background = backgroundOfEnvironment(environment);
    this.hasWeight = environment['TERM'] !== 'dumb';
    const { theme } = chooseTheme({ background: this.background });
    this.styles = createStyles(theme, this.depth, { hasWeight: this.hasWeight });
    this.themeName = theme.name;
  }

  get colorDepth(): ColorDepth {
    return this.depth;
  }

  get hasColors(): boolean {
    return this.depth !== 'none';
  }

  /** The background of the terminal, as it told or as its variables say; undefined where neither does. */
  get paper(): string | undefined {
    return this.told ?? (this.background && PAPERS[this.background]);
  }

  /** For a screen reader: neither colours nor marks in their place. */
  useVoice(): void {
    this.depth = 'none';
    this.isSpoken = true;
    this.apply();
  }

  /** `ui.useBackgroundColor`. */
  useBackgrounds(hasBackgrounds: boolean): void {
    this.hasBackgrounds = hasBackgrounds;
    this.apply();
  }

  /** A sentence when the theme is unavailable. */
  use(choice: ThemeChoice): string | undefined {
    this.choice = choice;
    return this.apply();
  }

  /** True when that changes the theme. */
  noteBackground({ background, color }: ToldBackground): boolean {
    const before = this.themeName;
    this.background = background;
    this.told = color;
    this.apply();
    return before !== this.themeName;
  }

  private apply(): string | undefined {
    const { theme, problem } = chooseTheme({ ...this.choice, background: this.background });
    this.styles = createStyles(theme, this.depth, {
      hasBackgrounds: this.hasBackgrounds,
      isSpoken: this.isSpoken,
      hasWeight: this.hasWeight && !this.isSpoken,
      terminalBackground: this.told,
    });
    this.themeName = theme.name;
    return problem;
  }
}
