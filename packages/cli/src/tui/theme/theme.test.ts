import { describe, expect, it } from 'vitest';
import { colorDepthOf, toSgr } from './color-depth.ts';
import { backgroundOfEnvironment, backgroundOfReport } from './detect-background.ts';
import { findFaintColors } from './faint-colors.ts';
import { contrastOf } from './contrast.ts';
import { createStyles } from './styles.ts';
import { surfacesOf } from './surfaces.ts';
import type { Theme } from './theme-colors.ts';
import { chooseTheme, themeNames } from './theme.ts';
import { THEMES } from './themes-data.ts';

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

/** What code, signs and numbers are written in, on changed lines as well. */
function textsOnChanges({ text, status, ui }: Theme): readonly string[] {
  return [text.primary, text.secondary, text.link, text.accent, status.success, status.error, ui.symbol, ui.comment];
}

describe('the texts of a built-in theme', () => {
  const written = THEMES.filter(({ type }) => type !== 'ansi');

  it.each(written.map((theme) => [theme.name, theme] as const))('are readable everywhere in %s', (_name, theme) => {
    const { primary, diff } = theme.background;
    const paper = primary || (theme.type === 'light' ? '#ffffff' : '#1e1e1e');
    const surfaces = surfacesOf(theme, 'truecolor', paper);
    const papers = [paper, diff.added, diff.removed, surfaces.message, surfaces.code].filter(Boolean);
    const faint = textsOnChanges(theme).flatMap((color) =>
      papers.flatMap((each) => ((contrastOf(color, each) ?? 21) < 4.5 ? [`${color} on ${each}`] : [])),
    );
    expect([...faint, ...findFaintColors(theme, paper)]).toEqual([]);
  });
});

describe('sixteen colours', () => {
  it.each(THEMES.filter(({ type }) => type !== 'ansi').map((theme) => [theme.name, theme] as const))(
    'write no word of %s in a grey: a palette may hide it',
    (_name, theme) => {
      const { primary, secondary, comment, response } = createStyles(theme, 'ansi16');
      const looks = [primary, secondary, comment, response].map((style) => style('x'));
      expect(looks.filter((look) => /\[(?:30|37|90|97)m/.test(look))).toEqual([]);
    },
  );

  it('keep a grey for rules, and where a theme names it', () => {
    const looks = ['GitHub', 'ANSI'].map((name) => createStyles(chooseTheme({ name }).theme, 'ansi16'));
    expect([looks[0]?.border('x'), looks[1]?.secondary('x')]).toEqual(['\x1b[90mx\x1b[39m', '\x1b[90mx\x1b[39m']);
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
