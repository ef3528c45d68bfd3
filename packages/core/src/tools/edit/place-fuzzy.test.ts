import { describe, expect, it } from 'vitest';
import { applyToText } from '../files/text-file.ts';
import { placeEdit } from './place-edit.ts';

function edit(content: string, old: string, replacement: string) {
  const placement = placeEdit(content, { old, replacement, allowMultiple: false });
  return placement.kind === 'placed' ? applyToText(content, placement.splices) : placement.kind;
}

const grammar = `    choice(
      alias('!', $.special_variable_name),
      alias('#', $.special_variable_name),
    ),
  ),
`;
const braces = `	if (first) {
	    if (second) {
		third();
	    }
	}
	return -1;
`;
const notice = `/*
 * Copyright NCR Corporation
 *
 * All Rights Reserved
 *
 * Permission to use this
 */
`;
const list = `  keywords: [
    'incremental',
    'parsing',
    'grammar'
  ],
`;

const scripts = `"check": "yarn run-tsd && yarn run-attw",
"test": "nyc yarn _test",
"_test": "yarn build && cross-env NODE_ENV=test yarn run-mocha",
"attw": "yarn attw --pack --entrypoints . && yarn attw --pack --entrypoints lib/diff/word.js",
"tsd": "yarn tsd --typings libesm/ && yarn tsd --files test-d/",
"rollup": "rollup -c rollup.config.mjs",
"uglify": "uglifyjs dist/diff.js -c -o dist/diff.min.js",
`;

describe('an old text that is wrong about the file', () => {
  it.each([
    [
      'lacks a bracket of a run, and so does the new text',
      'start();\nlog(format(name));\nreturn name;\n',
      'start();\nlog(format(name);\nreturn name;',
      'start();\nlog(format(name));\nreturn other;\n',
      'start();\nlog(format(name);\nreturn other;',
    ],
    [
      'ends with a comma too much',
      list,
      "    'incremental',\n    'parsing',\n    'grammar',",
      list.replace('parsing', 'reading'),
      "    'incremental',\n    'reading',\n    'grammar'",
    ],
    [
      'has a dash for two hyphens',
      'run(first, "--verbose");\nrun(second, "--quiet");\n',
      'run(first, "—verbose");\nrun(second, "—quiet");',
      'run(third, "--verbose");\nrun(second, "--quiet");\n',
      'run(third, "—verbose");\nrun(second, "—quiet");',
    ],
    [
      'has a comma too much before a line that goes',
      'if ready:\n    value = find(\n        name\n    )\n    other = value.kind if value else None\nelse:\n    value = None\n',
      '    value = find(\n        name\n    ),\n    other = value.kind if value else None\nelse:\n    value = None',
      'if ready:\n    value = find(\n        name\n    )\nelse:\n    value = None\n',
      '    value = find(\n        name\n    ),\nelse:\n    value = None',
    ],
    [
      'lacks a bracket before the same bracket',
      grammar,
      grammar.replace("'#', $.special_variable_name)", "'#', $.special_variable_name"),
      grammar.replace("'#', $.special_variable_name),\n", "'#', $.special_variable_name),\n      $.added,\n"),
    ],
    [
      'lacks a bracket that stood alone on its line',
      braces,
      '	    }\n	\n	return -1;',
      braces.replace('	return -1;', '	return 0;'),
      '	    }\n	}\n	return 0;',
    ],
    [
      'lacks the mark in front of a line',
      notice,
      ' *\n  All Rights Reserved\n *',
      notice.replace(' *\n * Permission', ' *\n * Some more\n * Permission'),
      ' *\n * All Rights Reserved\n *\n * Some more',
    ],
    [
      'leaves out the last item of a list and keeps the bracket behind it',
      list,
      list.replace("    'grammar'\n", ''),
      list.replace("'incremental'", "'slow'"),
      list.replace("    'grammar'\n", '').replace("'incremental'", "'slow'"),
    ],
    [
      'says a line twice',
      list,
      list.replace("    'parsing',\n", "    'parsing',\n    'parsing',\n"),
      list.replace("'incremental'", "'slow'"),
    ],
    [
      'has another word than the file and the new text',
      list,
      list.replace("'parsing'", "'something'"),
      list.replace("'incremental'", "'slow'"),
    ],
  ])('that %s comes to what the new text says', (_name, content, old, expected, replacement = expected) => {
    expect(edit(content, old, replacement)).toBe(expected);
  });

  it.each([
    [
      'puts a line in beside one it does not know of',
      list,
      "  keywords: [\n    'parsing',",
      "  keywords: [\n    'added',\n    'parsing',",
    ],
    [
      'takes away one of two lines and knows of one',
      'open\nlock;\nread;\nlock;\nclose();\n',
      'open\nread;\nlock;\nclose();',
      'open\nread;\nclose();',
    ],
    [
      'says another number in both texts',
      'const port = 8080;\nlisten(port, host, backlog);\n',
      'const port = 8081;\nlisten(port, host, backlog);',
      'const port = 8081;\nlisten(port, host);',
    ],
    [
      'says another name in both texts',
      'function loadUser(id) {\n  return find(table, id);\n}\n',
      'function loadOrder(id) {\n  return find(table, id);\n}',
      'function loadOrder(id) {\n  return find(table, id, true);\n}',
    ],
    [
      'says a name that the file has with a part more',
      'request:\n  api_version: v1\n  collection: projects.locations.instances_b\n  method: apply\n',
      'request:\n  api_version: v1\n  collection: projects.locations.instances\n  method: apply',
      'request:\n  retries: 3',
    ],
    [
      'has a last line that the file lacks, and that ends as the one before',
      `${scripts}reset(context)\n`,
      `${scripts}"mocha": "mocha --require ./runtime 'test/*.js'"`,
      `${scripts}added\n"mocha": "mocha --require ./runtime 'test/*.js'"`,
    ],
    [
      'lacks a word in both texts',
      'if (isDone(task)) {\n  log(task);\n  return cached;\n}\nfinish(task, now);\n',
      'if (isDone(task)) {\n  log(task);\n  return;\n}\nfinish(task, now);',
      'if (isDone(task)) {\n  send(task);\n  return;\n}\nfinish(task, now);',
    ],
  ])('is refused when it %s', (_name, content, old, replacement) => {
    expect(edit(content, old, replacement)).toBe('missing');
  });

  it('is refused beside a copy that differs by a comment alone', () => {
    const block = (verb: string) =>
      `  unsigned char out[CHUNK];\n  /* allocate ${verb} state */\n  stream.zalloc = Z_NULL;\n  stream.zfree = Z_NULL;\n`;
    const old = block('deflate');
    expect(edit(block('inflate'), old, old.replace('CHUNK', 'SIZE'))).toBe('missing');
  });
});

describe('an old text with its middle left out', () => {
  const content =
    'function run(input) {\n  const first = read(input);\n  check(first);\n  log(first);\n  return first;\n}\n';

  it('keeps what the dots stand for', () => {
    const old = 'function run(input) {\n  const first = read(input);\n  // ... existing code ...\n  return first;\n}';
    const replacement = old.replace('return first', 'return close(first)');
    expect(edit(content, old, replacement)).toBe(content.replace('return first', 'return close(first)'));
  });

  it('is refused where the change is beside the dots', () => {
    const old = 'function run(input) {\n  // ...\n  return first;\n}';
    expect(edit(content, old, old.replace('  return', '  finish();\n  return'))).toBe('missing');
  });

  it('takes no spread for dots', () => {
    const object = 'const all = {\n  ...defaults,\n  ...options,\n};\nuse(all);\n';
    const old = 'const all = {\n    ...defaults,\n    ...options,\n};';
    expect(edit(object, old, old.replace('};', '    strict,\n};'))).toBe(object.replace('};', '  strict,\n};'));
  });
});

it('keeps the event loop free while it looks through ten thousand lines', () => {
  const content = Array.from(
    { length: 10_000 },
    (_, index) => `  const value${index} = compute(request.field${index % 97});`,
  ).join('\n');
  const lines = content.split('\n').slice(7000, 7012);
  const old = lines.join('\n').replace('compute', 'comptue');
  const replacement = lines.with(11, 'finish();').join('\n');
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    expect(placeEdit(content, { old, replacement, allowMultiple: false }).kind).toBe('placed');
    return process.cpuUsage(before).user / 1000;
  });
  // The median of the processor's own time, since a shared machine is slow at times; a quadratic search would take seconds.
  expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(400);
});
