import { describe, expect, it } from 'vitest';
import { applyToText } from '../files/text-file.ts';
import { placeEdit } from './place-edit.ts';

function edit(content: string, old: string, replacement: string, allowMultiple = false) {
  const placement = placeEdit(content, { old, replacement, allowMultiple });
  if (placement.kind !== 'placed') return placement;
  return { strategy: placement.strategy, text: applyToText(content, placement.splices) };
}

describe('placeEdit', () => {
  it('replaces a text that occurs once to the letter', () => {
    expect(edit('a\nb\nc\n', 'b', 'B\nB')).toEqual({ strategy: 'exact', text: 'a\nB\nB\nc\n' });
  });

  it('takes dollar signs in the new text to the letter', () => {
    expect(edit('price\n', 'price', "$& $1 $$ $`'")).toEqual({ strategy: 'exact', text: "$& $1 $$ $`'\n" });
  });

  it('replaces typographic quotes when the model asks for plain ones', () => {
    expect(edit('say “hi”\n', 'say “hi”', 'say "hi"')).toEqual({ strategy: 'exact', text: 'say "hi"\n' });
  });

  it('refuses a text that occurs twice and names the lines', () => {
    expect(edit('x = 1\ny\nx = 1\n', 'x = 1', 'x = 2')).toEqual({ kind: 'ambiguous', occurrences: 2, lines: [1, 3] });
  });

  it('replaces every occurrence when asked to', () => {
    expect(edit('x = 1\ny\nx = 1\n', 'x = 1', 'x = 2', true)).toEqual({ strategy: 'exact', text: 'x = 2\ny\nx = 2\n' });
  });

  it('keeps whitespace at line ends that the model did not see', () => {
    expect(edit('if (a) {  \n  b();\t\n}\n', 'if (a) {\n  b();\n}', 'if (a) {\n  c();\n}')).toEqual({
      strategy: 'flexible',
      text: 'if (a) {  \n  c();\t\n}\n',
    });
  });

  it('indents new lines as the file does', () => {
    expect(
      edit(
        'class A:\n    def f(self):\n        return 1\n',
        'def f(self):\n    return 1',
        'def f(self):\n    if x:\n        return 2\n    return 1',
      ),
    ).toEqual({
      strategy: 'flexible',
      text: 'class A:\n    def f(self):\n        if x:\n            return 2\n        return 1\n',
    });
  });

  it('steps a level as the model does where the old text came without any indentation', () => {
    expect(
      edit(
        'class A:\n    def f(self):\n        a()\n        return 1\n',
        'a()\nreturn 1',
        'a()\nif x:\n    return 2\nreturn 1',
      ),
    ).toEqual({
      strategy: 'flexible',
      text: 'class A:\n    def f(self):\n        a()\n        if x:\n            return 2\n        return 1\n',
    });
  });

  it('turns spaces into the tabs of the file', () => {
    expect(
      edit(
        'func f() {\n\tif a {\n\t\tb()\n\t}\n}\n',
        '    if a {\n        b()\n    }',
        '    if a {\n        for {\n            b()\n        }\n    }',
      ),
    ).toEqual({
      strategy: 'flexible',
      text: 'func f() {\n\tif a {\n\t\tfor {\n\t\t\tb()\n\t\t}\n\t}\n}\n',
    });
  });

  it('indents a new line as the file does what the model indents alike, and not as chance has it', () => {
    expect(
      edit(
        'class A:\n    REMOVE = auto()\n\n\ndef f():\n    """Doc."""\n',
        '        REMOVE = auto()\n\n\n    def f():\n        """Doc."""',
        '        REMOVE = auto()\n\n\n    def f():\n    mark = 1\n        """Doc."""',
      ),
    ).toEqual({
      strategy: 'flexible',
      text: 'class A:\n    REMOVE = auto()\n\n\ndef f():\nmark = 1\n    """Doc."""\n',
    });
  });

  it('replaces of many places only those that are as close as the closest', () => {
    const content = '  {\n    open(a);\n    close(a);\n  }\n  {\n    open(a);\n\n    close(a);\n  }\n';
    expect(edit(content, 'open(a);\nclose(a);', 'open(b);\nclose(a);', true)).toEqual({
      strategy: 'flexible',
      text: content.replace('open(a)', 'open(b)'),
    });
  });

  it('ends new lines with a carriage return where all lines do', () => {
    expect(edit('def a():\r    return 1\r', 'def a():\n  return 1', 'def a():\n  b()\n  return 1')).toEqual({
      strategy: 'flexible',
      text: 'def a():\r    b()\r    return 1\r',
    });
  });

  it('takes listed line numbers away, whatever their form', () => {
    for (const mark of ['12: ', 'L12: ', '    12\t', '12|'])
      expect(edit('first\nsecond\n', `${mark}second`, `${mark}third`)).toMatchObject({ text: 'first\nthird\n' });
  });

  it('keeps text of the file that the model left out, and never says it twice', () => {
    const content =
      'start(server);\nconnect(database, options);\n// audited\nwarm(cache, options);\nlisten(server, port);\n';
    const old = 'start(server);\nconnect(database, options);\nwarm(cache, options);\nlisten(server, port);';
    expect(edit(content, old, old.replace('port', 'socket'))).toEqual({
      strategy: 'fuzzy',
      text: content.replace('port', 'socket'),
    });
    const withNote = old.replace('options);\nwarm', 'options);\n// audited\nwarm');
    expect(edit(content, old, withNote)).toEqual({ strategy: 'fuzzy', text: content });
  });

  it('does to the letter what an exact edit says, whatever the texts', () => {
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const pick = () => ['a', 'b', ' ', '\n', '\t', '(', '"', 'é', '“', '$&', '😀', '\u00A0'][random(12)]!;
    const words = (length: number) => Array.from({ length }, pick).join('');
    for (let round = 0; round < 3000; round++) {
      const [before, old, after, replacement] = [
        words(random(20)),
        words(1 + random(12)),
        words(random(20)),
        words(random(14)),
      ];
      const content = before + old + after;
      if (content.indexOf(old) !== content.lastIndexOf(old)) continue;
      expect(edit(content, old, replacement)).toEqual({
        strategy: 'exact',
        text: content.replace(old, () => replacement),
      });
    }
  });

  it('places an edit in 50,000 lines', () => {
    const content = Array.from(
      { length: 50_000 },
      (_, index) => `  const value${index} = compute(request.field${index % 97});`,
    ).join('\n');
    const lines = content.split('\n').slice(40_000, 40_004);
    const old = lines.map((line) => line.trim()).join('\n');
    // A quadratic search would not end within the time a test has.
    expect(placeEdit(content, { old, replacement: 'x', allowMultiple: false }).kind).toBe('placed');
  });
});
