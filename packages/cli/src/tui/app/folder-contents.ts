/** Lists by name what a folder would configure if it were trusted. It opens no file. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CONTENTS: readonly (readonly [path: string, name: string])[] = [
  ['.gemini/settings.json', 'settings, with hooks and MCP servers (.gemini/settings.json)'],
  ['.gemini/commands', 'commands (.gemini/commands)'],
  ['.gemini/policies', 'policies (.gemini/policies)'],
  ['.gemini/skills', 'skills (.gemini/skills)'],
  ['.gemini/agents', 'agents (.gemini/agents)'],
  ['.gemini/extensions', 'extensions (.gemini/extensions)'],
  ['.env', 'variables (.env)'],
  ['.gemini/.env', 'variables (.gemini/.env)'],
  ['GEMINI.md', 'instructions (GEMINI.md)'],
  ['AGENTS.md', 'instructions (AGENTS.md)'],
];

/** The `.gemini` folder of the home belongs to the user. */
export function folderContents(folder: string, home: string): string[] {
  return CONTENTS.filter(([path]) => folder !== home || !path.startsWith('.gemini/'))
    .filter(([path]) => existsSync(join(folder, path)))
    .map(([, name]) => name);
}
