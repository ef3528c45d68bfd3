/**
 * ServerContents: prompts and resources of all MCP servers: finds them by name, gets and reads them, completes their
 * arguments, and remembers which resource changed since it was read.
 */

import type { Part } from '../protocol/content.ts';
import { ToolError, getErrorMessage } from '../protocol/errors.ts';
import { cleanLine } from './clean-text.ts';
import type { CompletionOwner, McpConnection, TypedArgument } from './connection.ts';
import { BlockReader } from './content-blocks.ts';
import type { ListedPrompt } from './listed-items.ts';
import { readPromptArguments } from './prompt-arguments.ts';
import { toPromptParts } from './prompt-parts.ts';
import type { RequestOptions } from './rpc-session.ts';
import type { ServerLink } from './server-link.ts';
import type { McpServerState } from './server-state.ts';
import { firstVariable, fitsTemplate } from './uri-template.ts';

export interface ServerContentsOptions {
  link(server: string): ServerLink | undefined;
  states(): readonly McpServerState[];
}

/** A resource by the server that has it. */
export interface ResourceAddress {
  readonly server: string;
  readonly uri: string;
  /** Whether it is one that a template describes and no list names. */
  readonly isTemplated: boolean;
}

export interface ReadResource {
  parts: Part[];
  shown: string;
}

const MAX_DOCUMENTS = 50;
/** Of all texts of a resource. */
const MAX_CHARACTERS = 400_000;
/** A completion that takes longer is of no use. */
const COMPLETION_MS = 3_000;
/** Resources whose changes are followed. */
const MAX_FOLLOWED = 100;
const MAX_COMPLETED = 20;

export class ServerContents {
  private readonly options: ServerContentsOptions;
  /** Addresses that were read, as `server:uri`. */
  private readonly read = new Set<string>();
  /** Those that changed since, in the order of their changes. */
  private readonly outdated = new Set<string>();
  private readonly untold = new Set<string>();

  constructor(options: ServerContentsOptions) {
    this.options = options;
  }

  /** By server, in the order of their names. */
  prompts(): { server: string; prompt: ListedPrompt }[] {
    return this.options.states().flatMap(({ name, prompts }) => prompts.map((prompt) => ({ server: name, prompt })));
  }

  /** Resources that changed since they were read, as `server:uri`. */
  get changed(): readonly string[] {
    return [...this.outdated];
  }

  /** The changed resources that the model has not been told of. */
  takeChanged(): string[] {
    const changed = [...this.untold];
    this.untold.clear();
    return changed;
  }

  noteUpdate(server: string, uri: string): void {
    const key = `${server}:${uri}`;
    if (!this.read.has(key)) return;
    this.outdated.add(key);
    this.untold.add(key);
  }

  /** Gets a prompt with the arguments as the user typed them. Rejects with an Error that has a sentence. */
  async getPrompt(server: string, prompt: ListedPrompt, typed: string, signal: AbortSignal): Promise<Part[]> {
    const { values, problem } = readPromptArguments(typed, prompt.arguments);
    if (problem !== undefined) throw new ToolError(problem, 'invalid_tool_params');
    const messages = await this.ask(server, signal, (connection, request) =>
      connection.getPrompt(prompt.name, values, request),
    );
    return toPromptParts(server, prompt.name, messages);
  }

  /** What may follow after `@`: addresses as `server:uri` that contain the typed text, the best first. */
  async completeReference(typed: string, signal: AbortSignal): Promise<{ reference: string; about: string }[]> {
    const wanted = typed.toLowerCase();
    const found = this.options.states().flatMap(({ name: server, resources }) => {
      // After the name of the server any part of an address or of a name counts.
      const prefix = `${server}:`.toLowerCase();
      const part = wanted.startsWith(prefix) ? wanted.slice(prefix.length) : wanted;
      return resources
        .map(({ uri, name }) => ({ reference: `${server}:${uri}`, about: name === uri ? '' : name }))
        .filter(({ reference, about }) => `${reference} ${about}`.toLowerCase().includes(part));
    });
    const expanded = await Promise.all(this.options.states().map((state) => this.expand(state, typed, signal)));
    return [...found.sort((a, b) => rankOf(a, wanted) - rankOf(b, wanted)), ...expanded.flat()].slice(0, MAX_COMPLETED);
  }

  /** The templates of a server, with values for their first variable once the text before it is typed. */
  private async expand({ name: server, templates }: McpServerState, typed: string, signal: AbortSignal) {
    const results = templates.map(async ({ uriTemplate, name: about }) => {
      const variable = firstVariable(uriTemplate);
      const before = `${server}:${variable?.before ?? uriTemplate}`;
      if (!variable || typed.length < before.length) {
        return before.toLowerCase().startsWith(typed.toLowerCase()) ? [{ reference: before, about }] : [];
      }
      if (!typed.startsWith(before)) return [];
      const value = typed.slice(before.length);
      const ref = { type: 'ref/resource', uri: uriTemplate } as const;
      const values = await this.complete(server, ref, { name: variable.name, value }, signal);
      return values.map((each) => ({ reference: before + each, about }));
    });
    return (await Promise.all(results)).flat();
  }

  /** `server:uri` of a server that lists the address, or has a template for it. The first colon separates them. */
  findReference(reference: string): ResourceAddress | undefined {
    const states = this.options.states();
    const owner = states
      .filter(({ name }) => reference.startsWith(`${name}:`))
      .sort((a, b) => b.name.length - a.name.length)[0];
    return owner && addressIn(owner, reference.slice(owner.name.length + 1));
  }

  /** A listed address, with or without the name of its server. */
  findListed(uri: string): ResourceAddress | undefined {
    const bare = this.options.states().find(({ resources }) => resources.some((each) => each.uri === uri));
    return bare ? { server: bare.name, uri, isTemplated: false } : this.findReference(uri);
  }

  /** Whether the name before the first colon is a server that has resources. */
  isServer(name: string): boolean {
    const state = this.options.states().find((each) => each.name === name);
    return state !== undefined && state.resources.length + state.templates.length > 0;
  }

  /** Rejects with a ToolError that has a sentence. */
  async readResource({ server, uri }: ResourceAddress, signal: AbortSignal): Promise<ReadResource> {
    const key = `${server}:${uri}`;
    const contents = await this.ask(server, signal, (connection, request) => connection.readResource(uri, request));
    this.remember(server, uri, key);
    const given: unknown[] = Array.isArray(contents) ? contents.slice(0, MAX_DOCUMENTS) : [];
    const reader = new BlockReader(`Resource '${cleanLine(key, 500)}'`);
    const blocks = given.map((content) => reader.readDocument(content));
    const parts = blocks.flatMap((block) => block.parts);
    if (parts.length === 0) return { parts: [{ text: 'No content returned from resource.' }], shown: 'No content' };
    return { parts: cut(parts), shown: blocks.map(({ shown }) => shown).join('\n') };
  }

  /** Values for an argument of a prompt; `before` is what was typed after the name of the prompt so far. */
  completePrompt(
    server: string,
    prompt: ListedPrompt,
    { name, value, before }: { name: string; value: string; before: string },
    signal: AbortSignal,
  ): Promise<string[]> {
    const { [name]: _own, ...others } = readPromptArguments(before, prompt.arguments).values;
    return this.complete(server, { type: 'ref/prompt', name: prompt.name }, { name, value, others }, signal);
  }

  /** Values that the server offers for an argument; none when it fails or is slow. */
  async complete(
    server: string,
    ref: CompletionOwner,
    argument: TypedArgument,
    signal: AbortSignal,
  ): Promise<string[]> {
    const link = this.options.link(server);
    if (!link) return [];
    const request = { timeoutMs: COMPLETION_MS, signal };
    const values = await link.use((connection) => connection.complete(ref, argument, request), signal).catch(() => []);
    // A value with a control character cannot be typed.
    return values.filter((value) => value !== '' && cleanLine(value, value.length) === value);
  }

  private remember(server: string, uri: string, key: string): void {
    this.outdated.delete(key);
    this.untold.delete(key);
    if (!this.read.has(key) && this.read.size >= MAX_FOLLOWED) return;
    this.read.add(key);
    void this.options.link(server)?.follow(uri);
  }

  private async ask<T>(
    server: string,
    signal: AbortSignal,
    run: (connection: McpConnection, request: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const link = this.options.link(server);
    if (!link) throw new ToolError(`The MCP server ${server} does not run.`, 'mcp_tool_error');
    const request = { timeoutMs: link.server.timeoutMs, signal };
    try {
      return await link.use((connection) => run(connection, request), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new ToolError(`The MCP server ${server} failed: ${getErrorMessage(error)}`, 'mcp_tool_error', {
        cause: error,
      });
    }
  }
}

/** Addresses that begin with the typed text come first. */
function rankOf({ reference }: { reference: string }, wanted: string): number {
  return reference.toLowerCase().startsWith(wanted) ? 0 : 1;
}

function addressIn({ name: server, resources, templates }: McpServerState, uri: string): ResourceAddress | undefined {
  if (resources.some((each) => each.uri === uri)) return { server, uri, isTemplated: false };
  const isTemplated = templates.some(({ uriTemplate }) => fitsTemplate(uri, uriTemplate));
  return isTemplated ? { server, uri, isTemplated } : undefined;
}

/** The texts up to the limit, with a note where they end. */
function cut(parts: readonly Part[]): Part[] {
  let room = MAX_CHARACTERS;
  return parts.flatMap((part) => {
    if (part.text === undefined) return [part];
    if (room <= 0) return [];
    const text = part.text.slice(0, room).toWellFormed();
    room -= part.text.length;
    return [room >= 0 ? part : { text: `${text}\n[The rest of the resource was left out]` }];
  });
}
