import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OVERRIDES } from './environment-overrides.ts';
import { ENVIRONMENT_VARIABLES } from './environment-variables.ts';
import { fitShape } from './setting-shape.ts';
import { renderSettingTables, renderVariableTable } from './settings-page.ts';
import { createSettingsSchema } from './settings-schema.ts';
import { findSetting, listSettings } from './settings-table.ts';

const ROOT = new URL('../../../../', import.meta.url);
const PAGE = fileURLToPath(new URL('docs/settings.md', ROOT));
const SCHEMA = fileURLToPath(new URL('packages/cli/schemas/settings.schema.json', ROOT));

/** `UPDATE_DOCS=1` writes what is expected before it is compared. */
function readUpdated(path: string, expected: string): string {
  if (process.env['UPDATE_DOCS'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, expected);
  }
  return readFileSync(path, 'utf8');
}

function withPart(page: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name}: generated -->\n`, `<!-- /${name} -->`];
  const start = page.indexOf(begin);
  const stop = page.indexOf(end);
  if (start < 0 || stop < 0) throw new Error(`docs/settings.md has no part ${name}.`);
  return page.slice(0, start + begin.length) + part + page.slice(stop);
}

describe('what is published about settings', () => {
  it('is on the page as the tables have it', () => {
    const page = readFileSync(PAGE, 'utf8');
    const expected = withPart(withPart(page, 'settings', renderSettingTables()), 'variables', renderVariableTable());
    expect(readUpdated(PAGE, expected)).toBe(expected);
  });

  it('is in the JSON schema as the table has it', () => {
    const schema = createSettingsSchema();
    // Compared as JSON: the layout of the file is the formatter's.
    expect(JSON.parse(readUpdated(SCHEMA, JSON.stringify(schema, null, 2)))).toEqual(schema);
  });
});

describe('the settings table', () => {
  it('has defaults that are what the setting takes', () => {
    const wrong = listSettings().filter(
      ({ definition }) =>
        definition.default !== undefined && fitShape(definition.default, definition.shape).problems.length > 0,
    );
    expect(wrong.map(({ key }) => key)).toEqual([]);
  });

  it('has a sentence for every setting and every variable', () => {
    const sentences = [
      ...listSettings().map(({ definition }) => definition.summary),
      ...ENVIRONMENT_VARIABLES.map(({ summary }) => summary),
    ];
    expect(sentences.filter((sentence) => !/^[A-Z`0-9].*\.$/.test(sentence))).toEqual([]);
  });

  it('knows every setting a variable sets, and describes every such variable', () => {
    const described = new Set(ENVIRONMENT_VARIABLES.flatMap(({ names }) => names));
    expect(OVERRIDES.filter(({ key }) => findSetting(key.split('.')) === undefined)).toEqual([]);
    expect(OVERRIDES.filter(({ variable }) => !described.has(variable))).toEqual([]);
  });
});
