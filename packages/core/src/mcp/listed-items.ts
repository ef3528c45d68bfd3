/** What an MCP server lists: tools, prompts, resources and templates of resources. Only names are checked. Pure. */

import { isRecord } from '../util/is-record.ts';
import { cleanDescription, cleanLine } from './clean-text.ts';
import type { PagedList } from './list-pages.ts';

const MAX_TEXT = 500;
const MAX_ARGUMENTS = 50;
/** A longer address cannot be typed or completed. */
const MAX_URI = 2_000;

export interface ListedTool {
  /** Empty for a tool that cannot be called. */
  name: string;
  title?: string | undefined;
  description: string;
  inputSchema: unknown;
  annotations: Readonly<Record<string, unknown>>;
  /** Whether it can only be called as a task, which Castor does not support. */
  needsTask?: boolean | undefined;
}

export interface PromptArgument {
  /** As the server knows it. */
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export interface ListedPrompt {
  /** As the server knows it. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType?: string | undefined;
}

export interface ListedTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType?: string | undefined;
}

export const TOOLS: PagedList<ListedTool> = { method: 'tools/list', key: 'tools', noun: 'tools', read: readTool };
export const PROMPTS: PagedList<ListedPrompt> = {
  method: 'prompts/list',
  key: 'prompts',
  noun: 'prompts',
  read: readPrompt,
};
export const RESOURCES: PagedList<ListedResource> = {
  method: 'resources/list',
  key: 'resources',
  noun: 'resources',
  read: (item) => readAddressed(item, 'uri'),
};
export const TEMPLATES: PagedList<ListedTemplate> = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  noun: 'resource templates',
  read: (item) => readAddressed(item, 'uriTemplate'),
};

function readTool(tool: unknown): ListedTool {
  const { name, title, description, inputSchema, annotations, execution } = isRecord(tool) ? tool : {};
  return {
    name: typeof name === 'string' ? name : '',
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : '',
    inputSchema,
    annotations: isRecord(annotations) ? annotations : {},
    needsTask: isRecord(execution) && execution['taskSupport'] === 'required',
  };
}

function readPrompt(prompt: unknown): ListedPrompt | undefined {
  if (!isRecord(prompt) || typeof prompt['name'] !== 'string' || prompt['name'].trim() === '') return undefined;
  const given: unknown[] = Array.isArray(prompt['arguments']) ? prompt['arguments'].slice(0, MAX_ARGUMENTS) : [];
  return {
    name: prompt['name'],
    description: textOf(prompt['description']) || textOf(prompt['title']),
    arguments: given.flatMap((argument) =>
      isRecord(argument) && typeof argument['name'] === 'string' && argument['name'] !== ''
        ? [
            {
              name: argument['name'],
              description: textOf(argument['description']),
              isRequired: argument['required'] === true,
            },
          ]
        : [],
    ),
  };
}

function readAddressed<K extends 'uri' | 'uriTemplate'>(
  item: unknown,
  key: K,
): ({ [P in K]: string } & { name: string; description: string; mimeType?: string }) | undefined {
  if (!isRecord(item)) return undefined;
  const address = item[key];
  // An address with a control character or a blank at its ends is a mistake or a trick.
  if (typeof address !== 'string' || address === '' || address.length > MAX_URI) return undefined;
  if (cleanDescription(address, MAX_URI) !== address || address.includes('\n')) return undefined;
  const { name, title, description, mimeType } = item;
  return {
    [key]: address,
    name: textOf(title) || textOf(name) || address,
    description: textOf(description),
    ...(typeof mimeType === 'string' && { mimeType: cleanLine(mimeType, 100) }),
  } as { [P in K]: string } & { name: string; description: string; mimeType?: string };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? cleanLine(value, MAX_TEXT) : '';
}
