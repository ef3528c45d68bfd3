/** The results an honest MCP server gives to every request of the protocol, from the offer of its script. */

import { isObject } from '../json-object.ts';
import { pageOf } from './pages.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError } from './rpc-error.ts';
import { MCP_VERSIONS } from './script.ts';
import type { JsonObject, McpOffer, McpPrompt, McpResource, McpScript, McpTemplate, McpTool } from './script.ts';

type Params = Readonly<Record<string, unknown>>;

/** What a call under way has met. */
interface CallState {
  /** The client's answer to the server's latest request in this call. */
  readonly lastAnswer?: unknown;
  /** The tool, if the offer may have changed since. */
  readonly tool?: McpTool | undefined;
}

/** What the server offers now; one per server, shared by its sessions. */
export class Offer {
  readonly script: McpScript;
  private current: McpOffer;
  private lists = 0;

  constructor(script: McpScript) {
    this.script = script;
    this.current = script;
  }

  change(change: McpOffer): void {
    this.current = { ...this.current, ...change };
  }

  tool(name: unknown): McpTool | undefined {
    return this.current.tools?.find((tool) => tool.name === name);
  }

  /** The result, or an `RpcError`. */
  answer(method: string, params: Params, call: CallState = {}): unknown {
    const honest = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
    if (!honest) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
    return honest(this, params, call);
  }

  get tools(): readonly McpTool[] {
    return required(this.current.tools);
  }

  get prompts(): readonly McpPrompt[] {
    return required(this.current.prompts);
  }

  get resources(): readonly McpResource[] {
    return this.current.resources ?? (this.current.templates ? [] : required(undefined));
  }

  get templates(): readonly McpTemplate[] {
    return this.current.templates ?? (this.current.resources ? [] : required(undefined));
  }

  get capabilities(): JsonObject {
    if (this.script.capabilities) return this.script.capabilities;
    const { tools, prompts, resources, templates } = this.current;
    return {
      logging: {},
      completions: {},
      ...(tools && { tools: { listChanged: true } }),
      ...(prompts && { prompts: { listChanged: true } }),
      ...((resources ?? templates) && { resources: { listChanged: true, subscribe: true } }),
    };
  }

  list(name: string, items: readonly unknown[], params: Params): JsonObject {
    const shift = this.script.isRotating && items.length > 0 ? this.lists++ % items.length : 0;
    const rotated = [...items.slice(shift), ...items.slice(0, shift)];
    const page = pageOf(rotated, this.script.pages, params['cursor']);
    return { [name]: page.items, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) };
  }
}

/** A capability the server lacks has no methods. */
function required<T>(list: readonly T[] | undefined): readonly T[] {
  if (!list) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
  return list;
}

const ANSWERS: Record<string, (offer: Offer, params: Params, call: CallState) => unknown> = {
  initialize: (offer, params) => initialize(offer, params),
  ping: () => ({}),
  'tools/list': (offer, params) => offer.list('tools', offer.tools.map(listedTool), params),
  'tools/call': callTool,
  'prompts/list': (offer, params) =>
    offer.list(
      'prompts',
      offer.prompts.map(({ messages: _messages, completions: _completions, ...listed }) => listed),
      params,
    ),
  'prompts/get': (offer, params) => getPrompt(offer, params),
  'resources/list': (offer, params) =>
    offer.list(
      'resources',
      offer.resources.map(({ text: _text, blob: _blob, contents: _contents, ...listed }) => ({
        name: listed.uri,
        ...listed,
      })),
      params,
    ),
  'resources/templates/list': (offer, params) =>
    offer.list(
      'resourceTemplates',
      offer.templates.map(({ text: _text, completions: _completions, ...listed }) => listed),
      params,
    ),
  'resources/read': (offer, params) => readResource(offer, params['uri']),
  'resources/subscribe': (offer) => offer.resources && {},
  'resources/unsubscribe': (offer) => offer.resources && {},
  'logging/setLevel': () => ({}),
  'completion/complete': (offer, params) => complete(offer, params),
};

function initialize({ script, capabilities }: Offer, params: Params): JsonObject {
  const { versions = MCP_VERSIONS, serverInfo, instructions } = script;
  const offered = String(params['protocolVersion']);
  return {
    protocolVersion: script.version ?? (versions.includes(offered) ? offered : versions[0]),
    capabilities,
    serverInfo: { name: 'scripted', version: '1.0.0', ...serverInfo },
    ...(instructions !== undefined && { instructions }),
  };
}

function listedTool({ result: _result, run: _run, extra, inputSchema, ...listed }: McpTool): JsonObject {
  return {
    ...listed,
    ...(inputSchema !== null && { inputSchema: inputSchema ?? { type: 'object' } }),
    ...extra,
  };
}

function callTool(
  offer: Offer,
  params: Params,
  { lastAnswer, tool = offer.tool(params['name']) }: CallState,
): JsonObject {
  required(offer.tools);
  if (!tool) throw new RpcError(INVALID_PARAMS, `Unknown tool: ${String(params['name'])}`);
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  if (typeof tool.result === 'function') return tool.result(given);
  return tool.result ?? { content: [{ type: 'text', text: JSON.stringify(lastAnswer ?? given) }] };
}

function getPrompt(offer: Offer, params: Params): JsonObject {
  const prompt = offer.prompts.find(({ name }) => name === params['name']);
  if (!prompt) throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${String(params['name'])}`);
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  const missing = (prompt.arguments ?? []).filter((each) => each.required && !Object.hasOwn(given, each.name));
  if (missing.length > 0) {
    throw new RpcError(INVALID_PARAMS, `Missing required arguments: ${missing.map(({ name }) => name).join(', ')}`);
  }
  const messages = prompt.messages?.map(({ role, content }) => ({ role, content: fill(content, given) }));
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: messages ?? [
      { role: 'user', content: { type: 'text', text: `${prompt.name} ${JSON.stringify(given)}` } },
    ],
  };
}

/** Puts the arguments into the text of a content block. */
function fill(content: unknown, given: Params): unknown {
  if (!isObject(content) || typeof content['text'] !== 'string') return content;
  const text = content['text'].replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => asText(given[name]));
  return { ...content, text };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

function readResource(offer: Offer, uri: unknown): JsonObject {
  const resource = offer.resources.find((each) => each.uri === uri);
  if (resource) return { contents: resource.contents ?? [contentOf(resource)] };
  const template = offer.templates.find(({ uriTemplate }) => fits(String(uri), uriTemplate));
  if (!template) throw new RpcError(RESOURCE_NOT_FOUND, 'Resource not found', { uri });
  const text = (template.text ?? '{{uri}}').replaceAll('{{uri}}', String(uri));
  return { contents: [{ uri, ...(template.mimeType !== undefined && { mimeType: template.mimeType }), text }] };
}

function contentOf({ uri, mimeType, text, blob }: McpResource): JsonObject {
  return {
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(blob === undefined ? { text: text ?? '' } : { blob }),
  };
}

function fits(uri: string, template: string): boolean {
  const pattern = template
    .split(/\{[^}]*\}/)
    .map((literal) => literal.replaceAll(/[^\w\s]/g, String.raw`\$&`))
    .join('.+');
  return new RegExp(`^${pattern}$`).test(uri);
}

function complete(offer: Offer, params: Params): JsonObject {
  const reference = isObject(params['ref']) ? params['ref'] : {};
  const argument = isObject(params['argument']) ? params['argument'] : {};
  const owner =
    reference['type'] === 'ref/prompt'
      ? offer.prompts.find(({ name }) => name === reference['name'])
      : offer.templates.find(({ uriTemplate }) => uriTemplate === reference['uri']);
  if (!owner) throw new RpcError(INVALID_PARAMS, 'Unknown completion reference');
  const all = owner.completions?.[String(argument['name'])] ?? [];
  const values = all.filter((value) => value.startsWith(asText(argument['value'])));
  return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
}
