/** highlight.js with the most common languages. Heavy: loaded only once there is something to show. */

import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import makefile from 'highlight.js/lib/languages/makefile';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Grammars } from './highlight.ts';

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

for (const [name, grammar] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, grammar);
highlighter.registerAliases(['jsx', 'mjs', 'cjs'], { languageName: 'javascript' });
highlighter.registerAliases(['tsx', 'mts', 'cts'], { languageName: 'typescript' });
highlighter.registerAliases(['shell', 'console', 'zsh', 'sh'], { languageName: 'bash' });
highlighter.registerAliases(['jsonc', 'json5'], { languageName: 'json' });
highlighter.registerAliases(['html', 'svg', 'vue'], { languageName: 'xml' });
highlighter.registerAliases(['toml'], { languageName: 'ini' });

type StyleScope = (scope: string, text: string) => string;

let styleScope: StyleScope = (_scope, text) => text;

/** Receives the parts of a line in order, nested scopes included; the innermost decides. */
class StyledText {
  private readonly scopes: string[] = [];
  private text = '';

  addText(text: string): void {
    const scope = this.scopes.at(-1);
    this.text += scope === undefined ? text : styleScope(scope, text);
  }

  startScope(scope: string): void {
    this.scopes.push(scope);
  }

  endScope(): void {
    this.scopes.pop();
  }

  __addSublanguage(inner: StyledText): void {
    this.text += inner.text;
  }

  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  finalize(): void {}

  toHTML(): string {
    return this.text;
  }
}

// The types of highlight.js lack its own hook for other outputs.
highlighter.configure({ __emitter: StyledText } as unknown as Parameters<typeof highlighter.configure>[0]);

export const grammars: Grammars = {
  highlight(line, language, style) {
    if (!highlighter.getLanguage(language)) return undefined;
    styleScope = style;
    return highlighter.highlight(line, { language, ignoreIllegals: true }).value;
  },
};
