/** docs/models.md against the table of providers and the settings: a provider has its section, an example is valid. */

import { readFileSync } from 'node:fs';
import { PROVIDERS, createSettingsSchema } from '@castor/core/program';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
const sections = new Map(
  page.split(/^### /m).map((section) => [section.split('\n')[0]!, section.split(/^## /m)[0]!] as const),
);

describe('docs/models.md', () => {
  it.each(PROVIDERS.map((row) => [row.id, row] as const))('has a section for %s with its variables', (id, row) => {
    const section = sections.get(id);
    const { keyVariables = [], baseUrlVariables = [], baseUrl, protocol } = row;
    const names = [...keyVariables.map(({ name }) => name), ...baseUrlVariables];
    expect(names.filter((name) => !section?.includes(`\`${name}\``))).toEqual([]);
    if (baseUrl !== undefined && protocol !== 'gemini') expect(section).toContain(baseUrl);
  });

  const examples = [...page.matchAll(/^( *)```json\n(.*?)^ *```$/gms)].map(
    ([, , text = '']) => JSON.parse(text) as object,
  );

  it.each(examples.filter((example) => 'providers' in example || 'castor' in example).map((each) => [each] as const))(
    'shows valid settings: %j',
    (example) => expect(invalidIn(example, createSettingsSchema())).toEqual([]),
  );

  it('names every quirk', () => {
    const { properties = {} } = createSettingsSchema() as Shape;
    const provider = properties['providers']?.additionalProperties as Shape;
    const quirks = Object.keys(provider.properties?.['quirks']?.properties ?? {});
    expect(quirks).toContain('systemRole');
    const rows = page.slice(page.indexOf('| quirk of'), page.indexOf('A field that a server rejects'));
    expect(quirks.filter((name) => !rows.includes(`\`${name}`))).toEqual([]);
  });
});

interface Shape {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  items?: Shape;
}

/** The paths of values that the schema does not know or whose type is another. */
function invalidIn(value: unknown, shape: Shape, path = ''): string[] {
  if (shape.enum) return shape.enum.includes(value) ? [] : [path];
  if (shape.type === 'array') {
    return Array.isArray(value) ? value.flatMap((item) => invalidIn(item, shape.items ?? {}, `${path}[]`)) : [path];
  }
  if (shape.type === 'object') {
    if (typeof value !== 'object' || value === null) return [path];
    return Object.entries(value).flatMap(([name, inner]) => {
      const found = shape.properties?.[name] ?? shape.additionalProperties;
      if (typeof found !== 'object') return [`${path}.${name}`];
      return invalidIn(inner, found, `${path}.${name}`);
    });
  }
  const types: Record<string, string> = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean' };
  return shape.type === undefined || typeof value === types[shape.type] ? [] : [path];
}
