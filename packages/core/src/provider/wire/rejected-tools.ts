/**
 * Leaves out a tool whose schema the provider rejected, and asks again: one bad declaration, often of an MCP server, must
 * not make every later request fail. Where the provider names no tool, the tool is searched. The user is told which is missing.
 */

import type { FunctionDeclaration, GenerateContentParameters } from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import { blamedTool } from '../schema-complaint.ts';
import { spellName } from './spelling.ts';
import { toldFirst } from './told-first.ts';
import type { WireGenerator } from './wire-generator.ts';

/** More rejected declarations in one request are not the declarations' fault. */
const MOST_REJECTED = 16;

type Send = WireGenerator['generateContentStream'];

export interface RejectedToolsGenerator extends WireGenerator {
  /** Goes on after a rejection that the caller received. */
  sendAfter(rejection: unknown, ...request: Parameters<Send>): ReturnType<Send>;
}

export function withoutRejectedTools(generator: WireGenerator): RejectedToolsGenerator {
  /** By model, the rejected declarations as JSON: one that has changed is offered again. */
  const rejected = new Map<string, Set<string>>();

  function isOffered(model: string, declaration: FunctionDeclaration): boolean {
    return !rejected.get(model)?.has(JSON.stringify(declaration));
  }

  function offered(request: GenerateContentParameters): GenerateContentParameters {
    const { model, config } = request;
    if (!config?.tools || !rejected.has(model)) return request;
    const tools = config.tools.map((tool) => ({
      ...tool,
      ...(tool.functionDeclarations && {
        functionDeclarations: tool.functionDeclarations.filter((declaration) => isOffered(model, declaration)),
      }),
    }));
    return { ...request, config: { ...config, tools } };
  }

  /** The name of the tool that is left out from now on. */
  function reject(error: unknown, { model, config }: GenerateContentParameters): string | undefined {
    if (!(error instanceof ApiError) || error.reason !== 'invalid_request') return undefined;
    const declarations = config?.tools?.flatMap((tool) => tool.functionDeclarations ?? []) ?? [];
    const spelled = declarations.map(({ name = '' }) => spellName(name));
    const blamed = spelled.indexOf(blamedTool(error.message, spelled) ?? '');
    const declaration = declarations[blamed];
    return declaration && leaveOut(model, declaration);
  }

  function leaveOut(model: string, declaration: FunctionDeclaration): string | undefined {
    rejected.set(model, (rejected.get(model) ?? new Set()).add(JSON.stringify(declaration)));
    return declaration.name;
  }

  /** Loaded by the first rejection that names no tool. */
  async function search(error: unknown, ...[request, ...rest]: Parameters<Send>): Promise<string | undefined> {
    const { findRejectedTool, mayBeAboutTools } = await import('./find-rejected-tool.ts');
    const found = mayBeAboutTools(error) ? await findRejectedTool(generator, request, ...rest) : undefined;
    return found && leaveOut(request.model, found);
  }

  async function send(given: unknown, ...[request, ...rest]: Parameters<Send>): ReturnType<Send> {
    const notices: string[] = [];
    let rejection = given;
    for (;;) {
      const sent = offered(request);
      if (rejection !== undefined) {
        if (notices.length >= MOST_REJECTED) throw rejection;
        const name = reject(rejection, sent) ?? (await search(rejection, sent, ...rest));
        if (name === undefined) throw rejection;
        notices.push(sentenceAbout(name, (rejection as ApiError).message));
        rejection = undefined;
        continue;
      }
      try {
        const stream = await generator.generateContentStream(sent, ...rest);
        return notices.length === 0 ? stream : toldFirst(notices, stream);
      } catch (error) {
        rejection = error;
      }
    }
  }

  return { ...generator, generateContentStream: (...request) => send(undefined, ...request), sendAfter: send };
}

function sentenceAbout(name: string, words: string): string {
  return `The provider rejects the schema of the tool ${name}, which is left out of this session: ${words} To stop asking for it, exclude it in your settings (tools.exclude, or excludeTools of the MCP server).`;
}
