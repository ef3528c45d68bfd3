/**
 * Finds the external tool whose declaration makes a provider reject every request without naming it: a bounded number of small
 * requests, each with a part of the declarations.
 */

import type { FunctionDeclaration, GenerateContentParameters } from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import type { ContentGenerator } from '../content-generator.ts';

/** Enough to find one of two thousand, or several of a few. */
const MOST_REQUESTS = 16;
/** Tools that others declare: ours are known to be accepted. */
const EXTERNAL = /^(?:mcp_|discovered_tool_)/;
/** Words of rejections that may be about a declaration; most providers say more than "invalid". */
const ABOUT_TOOLS = /schema|function|tool|declaration|parameters|properties|invalid argument/i;

export function mayBeAboutTools(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'invalid_request' && ABOUT_TOOLS.test(error.message);
}

/** Undefined where the declarations are not the cause, or no single one is. Rejects with nothing but an abort. */
export async function findRejectedTool(
  generator: Pick<ContentGenerator, 'generateContent'>,
  request: GenerateContentParameters,
  ...rest: [promptId: string, role: Parameters<ContentGenerator['generateContent']>[2]]
): Promise<FunctionDeclaration | undefined> {
  const { model, config } = request;
  const all = config?.tools?.flatMap((tool) => tool.functionDeclarations ?? []) ?? [];
  const own = all.filter(({ name = '' }) => !EXTERNAL.test(name));
  let suspects = all.filter(({ name = '' }) => EXTERNAL.test(name));
  let left = MOST_REQUESTS;
  /** Whether the provider accepts these declarations; undefined when that cannot be found out. */
  const accepts = async (external: readonly FunctionDeclaration[]): Promise<boolean | undefined> => {
    if (left-- <= 0) return undefined;
    const declarations = [...own, ...external];
    const signal = config?.abortSignal;
    const small: GenerateContentParameters = {
      model,
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      config: {
        maxOutputTokens: 16,
        ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
        ...(signal && { abortSignal: signal }),
      },
    };
    try {
      await generator.generateContent(small, ...rest);
      return true;
    } catch (error) {
      if (signal?.aborted) throw error;
      return error instanceof ApiError && error.reason === 'invalid_request' ? false : undefined;
    }
  };
  if (suspects.length === 0 || (await accepts(suspects)) !== false || (await accepts([])) !== true) return undefined;
  while (suspects.length > 1) {
    const half = suspects.slice(0, suspects.length >> 1);
    const isFine = await accepts(half);
    if (isFine === undefined) return undefined;
    suspects = isFine ? suspects.slice(half.length) : half;
  }
  return (await accepts(suspects)) === false ? suspects[0] : undefined;
}
