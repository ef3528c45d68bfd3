/**
 * Fits an entry of `mcpServers` to its shape, whichever file it is from, and names keys and values without an effect. Pure.
 */

import { describeSettingProblem } from '../config/fit-settings.ts';
import { fitShape } from '../config/setting-shape.ts';
import { MCP_SERVER } from '../config/table/tools.ts';
import type { McpServerSettings } from '../config/table/tools.ts';
import { editDistance } from '../util/edit-distance.ts';
import { isRecord } from '../util/is-record.ts';
import { cleanLine } from './clean-text.ts';
import type { McpLayer } from './server-layer.ts';

/** Undefined where the entry is no object. Sentences go to `warnings`. */
export function fitEntry(
  name: string,
  layer: Pick<McpLayer, 'servers' | 'file' | 'locate'>,
  warnings: string[],
): McpServerSettings | undefined {
  const written = layer.servers[name];
  const place = (keys: readonly (string | number)[]) => {
    const where = layer.locate?.([name, ...keys].join('.')) ?? layer.file;
    return where === undefined ? '' : `${where}: `;
  };
  const { value, problems } = fitShape(written, MCP_SERVER);
  for (const problem of problems) {
    const path = ['mcpServers', name, ...problem.path];
    warnings.push(`${place(problem.path)}${describeSettingProblem({ ...problem, path })}`);
  }
  if (!isRecord(written)) return undefined;
  for (const path of unknownKeys(written)) {
    const known = path.length === 1 ? KEYS : OAUTH_KEYS;
    const meant = nearest(path.at(-1)!, known);
    const key = cleanLine(['mcpServers', name, ...path].join('.'), 200);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    warnings.push(`${place(path)}${key} is unknown and has no effect.${hint}`);
  }
  return value as McpServerSettings;
}

/** `extension` is set by Gemini CLI itself. */
const KEYS = [...Object.keys(MCP_SERVER.properties ?? {}), 'extension'];
const OAUTH_KEYS = [
  ...['enabled', 'clientId', 'clientSecret', 'authorizationUrl', 'tokenUrl', 'issuer', 'scopes', 'audiences'],
  ...['redirectUri', 'tokenParamName', 'registrationUrl'],
];

function unknownKeys(entry: Record<string, unknown>): string[][] {
  const { oauth } = entry;
  return [
    ...Object.keys(entry).flatMap((key) => (KEYS.includes(key) ? [] : [[key]])),
    ...(isRecord(oauth) ? Object.keys(oauth) : []).flatMap((key) => (OAUTH_KEYS.includes(key) ? [] : [['oauth', key]])),
  ];
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const distances = known.map((key) => ({ key, distance: editDistance(wanted, key.toLowerCase()) }));
  const [best] = distances.toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.key : undefined;
}
