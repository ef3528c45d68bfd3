/** get_internal_docs: reads the pages of documentation that are shipped with the program. Nothing else can be reached by it. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../protocol/errors.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import { defineTool } from '../tools/define-tool.ts';

export const INTERNAL_DOCS = 'get_internal_docs';

/** Resolves with the folder of the pages; undefined where the program is not shipped with them. */
export type FindDocumentation = () => Promise<string | undefined>;

export function createInternalDocsTool(findDocumentation: FindDocumentation): DefinedTool {
  return defineTool({
    name: INTERNAL_DOCS,
    displayName: 'GetInternalDocs',
    kind: 'read',
    description: 'Returns a page of the documentation of this program, or without a path the list of pages.',
    schema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'A page of the list, such as "settings.md".' } },
      additionalProperties: false,
    },
    describe: ({ path }) => path ?? 'The list of pages',
    async execute({ path }) {
      const folder = await findDocumentation();
      const pages = folder === undefined ? [] : await findPages(folder);
      if (folder === undefined || pages.length === 0)
        throw new ToolError('The documentation is not installed with this program.', 'file_not_found');
      if (path === undefined) return describePages(folder, pages);
      // Only a name of the list is opened.
      const page = pages.find((name) => name === path || `${name}` === `${path}.md`);
      if (page === undefined)
        throw new ToolError(`There is no page "${path}". The pages are: ${pages.join(', ')}.`, 'file_not_found');
      return readFile(join(folder, page), 'utf8');
    },
  });
}

async function findPages(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.md')).toSorted();
}

/** Each with its title. */
async function describePages(folder: string, pages: readonly string[]): Promise<string> {
  const lines = pages.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return `- ${name}: ${/^# (.+)$/m.exec(text)?.[1] ?? ''}`;
  });
  return (await Promise.all(lines)).join('\n');
}
