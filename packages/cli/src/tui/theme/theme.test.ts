import { describe, expect, it } from 'vitest';
import { colorDepthOf, toSgr } from './color-depth.ts';
import { backgroundOfEnvironment, backgroundOfReport } from './detect-background.ts';
import { findFaintColors } from './faint-colors.ts';
import { createStyles } from './styles.ts';
import { chooseTheme, themeNames } from './theme.ts';

describe('themes', () => {
  it('are those people know from Gemini CLI', () => {
    expect(themeNames()).toEqual([
      ...['ANSI', 'Atom One', 'Ayu', 'Default', 'Dracula', 'GitHub', 'Holiday', 'Shades Of Purple', 'Solarized Dark'],
      ...['Tokyo Night', 'ANSI Light', 'Ayu Light', 'Default Light', 'GitHub Light', 'Google Code', 'Solarized Light'],
      'Xcode',
    ]);
  });

  it('follow the terminal unless one is chosen', () => {
    const names = [{}, { background: 'light' as const }, { name: 'dracula', background: 'light' as const }];
    expect(names.map((choice) => chooseTheme(choice).theme.name)).toEqual(['Default', 'Default Light', 'Dracula']);
  });

  it('may be written by people, with what is missing filled in', () => {
    const customThemes = { Mine: { type: 'custom', text: { primary: '#ff0000' }, status: { error: 'nocolour' } } };
    const { theme, problem } = chooseTheme({ name: 'mine', customThemes });
    expect([theme.name, theme.text.primary, theme.text.response, problem]).toEqual([
      'Mine',
      '#ff0000',
      '#ff0000',
      'The theme "Mine" has invalid colours in status.error; use "#rrggbb" or a name such as "red".',
    ]);
  });

  it('that do not exist are named, with those that do', () => {
    expect(chooseTheme({ name: 'Nope' }).problem).toMatch(/^Unknown theme "Nope"\. Known themes: ANSI, /);
  });
});

describe('colours that are too faint', () => {
  it('are those of a light theme on a dark terminal, the faintest first', () => {
    const light = chooseTheme({ name: 'Default Light' }).theme;
    const faint = findFaintColors(light, '#1e1e1e');
    expect(faint.map(({ use }) => use)).toContain('links');
    expect(faint.every(({ contrast }) => contrast < 4.5)).toBe(true);
    expect(faint).toEqual(faint.toSorted((one, other) => one.contrast - other.contrast));
    expect(findFaintColors(light, '#ffffff')).toEqual([]);
  });

  it('are none in a theme whose colours only the terminal knows', () => {
    expect(findFaintColors(chooseTheme({ name: 'ANSI' }).theme, '#1e1e1e')).toEqual([]);
  });
});

describe('colours', () => {
  it.each([
    ['truecolor', '38;2;255;128;0'],
    ['ansi256', '38;5;214'],
    ['ansi16', '91'],
    ['none', undefined],
  ] as const)('are written for a terminal with %s', (depth, sgr) => {
    expect(toSgr('#ff8000', depth, 'text')).toBe(sgr);
  });

  it.each([
    [{ NO_COLOR: '1', COLORTERM: 'truecolor' }, 'none'],
    [{ TERM: 'dumb' }, 'none'],
    [{ COLORTERM: 'truecolor' }, 'truecolor'],
    [{ TERM: 'xterm-256color' }, 'ansi256'],
    [{ TERM: 'xterm' }, 'ansi16'],
  ] as const)('depend on %j', (environment, depth) => {
    expect(colorDepthOf(environment)).toBe(depth);
  });

  it('are absent everywhere when there are none', () => {
    const { keepsMarks, ...others } = createStyles(chooseTheme({}).theme, 'none');
    expect(keepsMarks).toBe(true);
    const styles = Object.values(others).filter((style) => typeof style === 'function');
    expect(styles.map((style) => style('x'))).toEqual(styles.map(() => 'x'));
  });
});

describe('the background', () => {
  it.each([
    ['rgb:1e1e/1e1e/2e2e', 'dark'],
    ['rgb:ffff/ffff/ffff', 'light'],
    ['rgb:f/f/e', 'light'],
    ['#101010', 'dark'],
    ['nonsense', undefined],
  ])('is read from %s', (report, background) => {
    expect(backgroundOfReport(report)?.background).toBe(background);
  });

  it.each([
    ['15;0', 'dark'],
    ['0;15', 'light'],
    ['0;default;7', 'light'],
    ['', undefined],
  ])('is read from COLORFGBG=%s', (COLORFGBG, background) => {
    expect(backgroundOfEnvironment({ COLORFGBG })).toBe(background);
  });
});

describe('ui.useBackgroundColor', () => {
  it.each([
    [true, true],
    [false, false],
  ])('%j marks changed lines by their background: %j', (hasBackgrounds, isMarked) => {
    const { theme } = chooseTheme({ name: 'Dracula' });
    const styled = createStyles(theme, 'truecolor', { hasBackgrounds }).added('x');
    expect([styled.includes('\x1b[48;'), styled.includes('\x1b[38;')]).toEqual([isMarked, true]);
  });
});
