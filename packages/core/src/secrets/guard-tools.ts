/**
 * Puts a vault between the tools and everything around them: arguments of an edit get the values behind their marks, and
 * what a tool shows, asks, prints or returns has marks in place of values.
 */

import { readFileSync } from 'node:fs';
import { ToolError } from '../protocol/errors.ts';
import type { PartListUnion } from '../protocol/content.ts';
import type { DefinedTool, ToolContext, ToolInvocation, ToolResult } from '../protocol/tools.ts';
import { toParts } from '../util/part-list.ts';
import { patchedFiles } from '../util/patch-files.ts';
import { changeTexts } from './conceal-value.ts';
import { describeUnknown, describeWithheld, MarkError } from './mark-command.ts';
import { MARK } from './secret-vault.ts';
import type { SecretVault } from './secret-vault.ts';
import { StreamConcealer } from './stream-concealer.ts';

export interface ToolGuardOptions {
  vault: SecretVault;
  /** The file that a tool means by a path. */
  resolve: (path: string) => string;
  /** What the model should know about the secrets of this call; undefined for nothing new. */
  noteFor: (tool: string, args: Readonly<Record<string, unknown>>, isMarked: boolean) => string | undefined;
}

interface Lookup {
  getTool(name: string): DefinedTool | undefined;
  notFound(name: string): Error;
}

/** The same tools, each behind the vault. */
export function guardTools(tools: Lookup, options: ToolGuardOptions): Lookup {
  const guarded = new WeakMap<DefinedTool, DefinedTool>();
  return {
    notFound: (name) => tools.notFound(name),
    getTool(name) {
      const tool = tools.getTool(name);
      if (!tool) return undefined;
      let known = guarded.get(tool);
      if (!known) guarded.set(tool, (known = guardTool(tool, options)));
      return known;
    },
  };
}

function guardTool(tool: DefinedTool, options: ToolGuardOptions): DefinedTool {
  const build = (args: Record<string, unknown>) => {
    const real = tool.kind === 'edit' ? reveal(args, options) : args;
    return guardInvocation(tool, args, tool.build(real), options);
  };
  return { ...tool, build };
}

/** Throws ToolError for a mark without a value, and for a credential that the file does not hold already. */
function reveal(args: Record<string, unknown>, { vault, resolve }: ToolGuardOptions): Record<string, unknown> {
  return changeTexts(args, (text) => {
    if (!text.includes('‹secret:')) return text;
    const values = vault.marksIn(text);
    return text.replace(MARK, (mark, name: string) => {
      const marked = values.get(name);
      if (!marked) throw new ToolError(describeUnknown(mark), 'invalid_tool_params');
      if (!marked.isUsable && !filesOf(args).some((path) => holdsValue(resolve(path), marked.value)))
        throw new ToolError(describeWithheld(mark), 'invalid_tool_params');
      return marked.value;
    });
  });
}

function guardInvocation(
  tool: DefinedTool,
  args: Record<string, unknown>,
  inner: ToolInvocation,
  { vault, noteFor }: ToolGuardOptions,
): ToolInvocation {
  const conceal = (text: string) => vault.conceal(text);
  const { modifyArgs } = inner;
  return {
    params: args,
    describe: () => conceal(inner.describe()),
    locations: () => inner.locations(),
    confirm: async (signal) => changeTexts(await concealErrors(() => inner.confirm(signal), conceal), conceal),
    ...(modifyArgs && {
      modifyArgs: (content: string) => changeTexts(modifyArgs.call(inner, content), conceal),
    }),
    async execute(context) {
      const stream = new StreamConcealer(conceal);
      const result = await concealErrors(() => inner.execute(withStream(context, stream)), conceal).finally(() => {
        const rest = stream.end();
        if (rest !== '') context.onOutput(rest);
      });
      const clean = changeTexts(result, conceal);
      return withNote(clean, noteFor(tool.name, args, clean.llmContent !== result.llmContent));
    },
  };
}

function withStream(context: ToolContext, stream: StreamConcealer): ToolContext {
  return {
    ...context,
    onOutput(chunk) {
      const shown = stream.add(chunk);
      if (shown !== '') context.onOutput(shown);
    },
  };
}

function withNote(result: ToolResult, note: string | undefined): ToolResult {
  if (note === undefined) return result;
  const { llmContent: content } = result;
  const llmContent: PartListUnion =
    typeof content === 'string' ? `${content}\n\n${note}` : [...toParts(content), { text: note }];
  return { ...result, llmContent };
}

async function concealErrors<T>(run: () => Promise<T>, conceal: (text: string) => string): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof MarkError) throw new ToolError(error.message, 'invalid_tool_params');
    if (!(error instanceof Error)) throw error;
    const message = conceal(error.message);
    if (message === error.message) throw error;
    if (error instanceof ToolError) {
      const display = error.display === undefined ? undefined : conceal(error.display);
      throw new ToolError(message, error.type, { ...(display !== undefined && { display }) });
    }
    throw new Error(message);
  }
}

/** The files that the arguments of an edit name. */
function filesOf(args: Readonly<Record<string, unknown>>): string[] {
  const named = ['file_path', 'path', 'absolute_path'].flatMap((key) => {
    const value = args[key];
    return typeof value === 'string' ? [value] : [];
  });
  const patched = Object.values(args).flatMap((value) => patchedFiles(value).map(({ path }) => path));
  return [...named, ...patched];
}

function holdsValue(path: string, value: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(value);
  } catch {
    // A missing or unreadable file holds nothing.
    return false;
  }
}
