/** Generates the tables of settings and variables in docs/settings.md. The prose of that page is written by hand. */

import type { SettingDefinition } from './define-setting.ts';
import { OVERRIDES } from './environment-overrides.ts';
import { ENVIRONMENT_VARIABLES } from './environment-variables.ts';
import { describeShape } from './setting-shape.ts';
import { listSettings } from './settings-table.ts';
import type { NamedSetting } from './settings-table.ts';

const MERGING: Readonly<Record<string, string>> = {
  concat: 'Castor joins the lists of all files.',
  union: 'Castor joins the lists of all files without duplicates.',
  shallow: 'Castor merges the files name by name.',
  intersect: 'Castor uses only names that all files contain.',
};

const PROJECT = {
  never: "**Ignored in a project's file.**",
  tighten: '**A project may enable it, but not disable it.**',
} as const;

const NO_EFFECT = {
  planned: '_No effect yet._',
  compatibility: '_No effect; read for compatibility._',
} as const;

export function renderSettingTables(): string {
  const sections = Map.groupBy(listSettings(), ({ path }) => (path.length === 1 ? 'Top level' : (path[0] ?? '')));
  return [...sections].map(([name, settings]) => renderSection(name, settings)).join('\n');
}

function renderSection(name: string, settings: readonly NamedSetting[]): string {
  const title = name === 'Top level' ? name : `\`${name}\``;
  const rows = settings.map(({ key, definition, noEffect }) => {
    const notes = [
      definition.summary,
      definition.merge === undefined ? '' : (MERGING[definition.merge] ?? ''),
      definition.project === undefined ? '' : PROJECT[definition.project],
      noEffect === undefined ? '' : NO_EFFECT[noEffect],
    ];
    return row([
      `\`${key}\``,
      describeShape(definition.shape),
      showDefault(definition),
      notes.filter(Boolean).join(' '),
    ]);
  });
  return [
    `### ${title}`,
    '',
    row(['key', 'takes', 'default', 'meaning']),
    row(['---', '---', '---', '---']),
    ...rows,
    '',
  ].join('\n');
}

function showDefault({ default: value }: SettingDefinition<unknown>): string {
  return value === undefined ? '–' : `\`${JSON.stringify(value)}\``;
}

export function renderVariableTable(): string {
  const rows = ENVIRONMENT_VARIABLES.map(({ names, summary }) => {
    const keys = new Set(OVERRIDES.filter(({ variable }) => names.includes(variable)).map(({ key }) => `\`${key}\``));
    const sets = keys.size === 0 ? '' : ` Sets ${[...keys].join(', ')}.`;
    return row([names.map((name) => `\`${name}\``).join(', '), `${summary}${sets}`]);
  });
  return [row(['variable', 'meaning']), row(['---', '---']), ...rows, ''].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
