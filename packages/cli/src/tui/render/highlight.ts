/**
 * Colours code line by line, with the grammars of highlight.js. The grammars are loaded separately; until then, and for
 * an unknown language, code has one colour. A comment or string over many lines is tracked by its opening and closing
 * marks.
 */

import type { Style, Styles } from '../theme/styles.ts';
import type { LineHighlighter } from './markdown-stream.ts';

/** The interface to highlight.js. */
export interface Grammars {
  /** The line with `style(scope, text)` applied to its parts; undefined for an unknown language. */
  highlight(line: string, language: string, style: (scope: string, text: string) => string): string | undefined;
}

interface Block {
  readonly open: string;
  readonly close: string;
  readonly scope: 'comment' | 'string';
}

const C_COMMENT: Block = { open: '/*', close: '*/', scope: 'comment' };
const BLOCKS: readonly (readonly [languages: RegExp, block: Block])[] = [
  [/^(python|py)$/, { open: '"""', close: '"""', scope: 'string' }],
  [/^(html|xml|vue|svelte)$/, { open: '<!--', close: '-->', scope: 'comment' }],
  [
    /^(javascript|js|typescript|ts|jsx|tsx|java|c|cpp|c\+\+|cs|csharp|go|rust|rs|kotlin|swift|php|css|scss|less|sql|scala)$/,
    C_COMMENT,
  ],
];

const PLAIN: Style = (text) => text;
/** A line this long is data, not code. */
const LONGEST = 2_000;

export function createHighlighter(styles: Styles, grammars: () => Grammars | undefined): LineHighlighter {
  let language = '';
  let block: Block | undefined;
  const style = (scope: string, text: string) => styleOf(scope, styles)(text);
  const paint = (code: string) => {
    if (code.length > LONGEST) return styles.primary(code);
    if (block) return style(block.scope, code);
    // On a surface code of an unknown language can be told from prose; elsewhere its colour must differ.
    return grammars()?.highlight(code, language, style) ?? (styles.hasSurfaces ? code : styles.symbol(code));
  };
  return {
    begin(name) {
      language = name.toLowerCase();
      block = undefined;
    },
    line(code) {
      const painted = paint(code);
      if (code.length <= LONGEST) block = blockAfter(code, language, block);
      return painted;
    },
    peek: paint,
  };
}

function blockAfter(code: string, language: string, inside: Block | undefined): Block | undefined {
  const block = inside ?? BLOCKS.find(([languages]) => languages.test(language))?.[1];
  if (!block) return undefined;
  let isInside = inside !== undefined;
  for (let index = 0; index < code.length;) {
    const mark = isInside ? block.close : block.open;
    const found = code.indexOf(mark, index);
    if (found < 0) break;
    isInside = !isInside;
    index = found + mark.length;
  }
  return isInside ? block : undefined;
}

function styleOf(scope: string, styles: Styles): Style {
  const [kind = ''] = scope.split('.');
  switch (kind) {
    case 'keyword':
    case 'literal':
    case 'selector-tag':
    case 'name':
    case 'meta':
      return styles.link;
    case 'string':
    case 'regexp':
    case 'addition':
      return styles.success;
    case 'number':
    case 'symbol':
    case 'variable':
    case 'attr':
    case 'attribute':
    case 'template-variable':
      return styles.symbol;
    case 'comment':
    case 'quote':
    case 'doctag':
      return styles.comment;
    case 'title':
    case 'function':
    case 'section':
    case 'type':
    case 'class':
    case 'built_in':
      return styles.accent;
    case 'deletion':
      return styles.error;
    default:
      return styles.hasSurfaces ? PLAIN : styles.primary;
  }
}
