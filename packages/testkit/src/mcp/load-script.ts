/** Loads the script of an MCP server from JSON, or from a module that exports `script`. */

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { McpScript } from './script.ts';

export async function loadScript(path: string): Promise<McpScript> {
  if (path.endsWith('.json')) return JSON.parse(readFileSync(path, 'utf8')) as McpScript;
  const module = (await import(pathToFileURL(path).href)) as { script?: McpScript };
  if (!module.script) throw new Error(`${path} does not export "script".`);
  return module.script;
}
