/**
 * The offline model: a ContentGenerator that answers by rule, without a network, and states that first. With tools
 * declared it requests real calls and reads their responses; without tools it uses the given folder port, which is
 * read-only.
 *
 * It keeps no state. Every request replays the work from the prompt with the responses already in the contents; the
 * steps after the last response are the answer.
 */

import type {
  Content,
  FunctionResponse,
  GenerateContentParameters,
  GenerateContentResponse,
  Part,
} from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { GEMINI_CATALOGUE } from '../catalogue/gemini-catalogue.ts';
import type { ModelCatalogue } from '../catalogue/model-catalogue.ts';
import type { ContentGenerator } from '../content-generator.ts';
import { estimateTokenCount } from '../token-estimate.ts';
import { toFunctionCall, toolNameOf } from './calls.ts';
import { performInFolder } from './folder.ts';
import type { OfflineFolder } from './folder.ts';
import { parseJobs } from './jobs.ts';
import { work } from './work.ts';
import type { Outcome, Step } from './work.ts';

export const OFFLINE_MODEL = 'offline';

/** It accepts requests of any length for every model, and costs nothing under its own name. */
const OFFLINE_CATALOGUE: ModelCatalogue = {
  ...GEMINI_CATALOGUE,
  find: (model) => GEMINI_CATALOGUE.find(model) ?? { ...GEMINI_CATALOGUE.unknown, contextWindow: 1_048_576 },
  prices: { ...GEMINI_CATALOGUE.prices, [OFFLINE_MODEL]: { input: 0, output: 0 } },
};

export interface OfflineGeneratorOptions {
  /** The folder it may read while no tools are declared. Absent: it can only talk. */
  folder?: OfflineFolder;
}

export function createOfflineGenerator(options: OfflineGeneratorOptions = {}): ContentGenerator {
  return {
    catalogue: OFFLINE_CATALOGUE,

    async generateContent(request, prompt_id, role) {
      if (role !== 'main') throw unsupported(`do the work of ${role}`);
      const parts: Part[] = [];
      let last: GenerateContentResponse = {};
      for await (last of answer(request, prompt_id, options)) {
        parts.push(...(last.candidates?.[0]?.content?.parts ?? []));
      }
      return { ...last, candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] };
    },

    async generateContentStream(request, prompt_id) {
      throwIfAborted(request.config?.abortSignal);
      return answer(request, prompt_id, options);
    },

    async countTokens({ contents }) {
      return { totalTokens: estimateTokenCount(contents.flatMap(({ parts }) => parts ?? [])) };
    },

    async embedContent() {
      throw unsupported('make embeddings');
    },
  };
}

async function* answer(
  request: GenerateContentParameters,
  prompt_id: string,
  { folder }: OfflineGeneratorOptions,
): AsyncGenerator<GenerateContentResponse> {
  const { prompt, responses } = currentTurn(request.contents);
  const responseId = `offline-${prompt_id}-${responses.length + 1}`;
  const answered: Part[] = [];
  const declared = declaredTools(request);
  const steps = declared.size > 0 ? stepsWithTools(prompt, responses, declared) : stepsWithFolder(prompt, folder);
  for await (const step of steps) {
    for (const part of toParts(step)) {
      throwIfAborted(request.config?.abortSignal);
      answered.push(part);
      yield frame([part], responseId);
    }
  }
  const promptTokenCount = estimateTokenCount(request.contents.flatMap(({ parts }) => parts ?? []));
  const thoughtsTokenCount = estimateTokenCount(answered.filter(({ thought }) => thought));
  const candidatesTokenCount = estimateTokenCount(answered.filter(({ thought }) => !thought));
  yield {
    candidates: [{ finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount,
      thoughtsTokenCount,
      totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount,
    },
    modelVersion: OFFLINE_MODEL,
    responseId,
  };
}

/** The steps of this request only: after the last response, up to the next call. */
function* stepsWithTools(
  prompt: string,
  responses: readonly FunctionResponse[],
  declared: ReadonlySet<string>,
): Generator<Step> {
  const steps = work(parseJobs(prompt));
  const waiting = [...responses];
  let fresh: Step[] = [];
  let outcome: Outcome | undefined;
  for (;;) {
    const { value: step, done } = steps.next(outcome);
    outcome = undefined;
    if (done) break;
    if (step.kind !== 'do') {
      fresh.push(step);
      continue;
    }
    const tool = toolNameOf(step.action);
    if (!declared.has(tool)) {
      outcome = {
        ok: false,
        text: `the tool ${tool} is not available in this run; allow it with -y or a policy.`,
      };
      continue;
    }
    const response = waiting.shift();
    if (!response) {
      fresh.push(step);
      break;
    }
    outcome = toOutcome(response);
    fresh = [];
  }
  yield* fresh;
}

async function* stepsWithFolder(prompt: string, folder: OfflineFolder | undefined): AsyncGenerator<Step> {
  const steps = work(parseJobs(prompt));
  let outcome: Outcome | undefined;
  for (;;) {
    const { value: step, done } = steps.next(outcome);
    outcome = undefined;
    if (done) return;
    if (step.kind === 'do') outcome = await performInFolder(step.action, folder);
    else yield step;
  }
}

/** The newest message of the user, and the responses to calls made since. */
function currentTurn(contents: readonly Content[]): { prompt: string; responses: FunctionResponse[] } {
  const responses: FunctionResponse[] = [];
  for (const { role, parts = [] } of contents.toReversed()) {
    if (role === 'model') continue;
    const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    if (answers.length === 0) return { prompt: textOf(parts), responses };
    responses.unshift(...answers);
  }
  return { prompt: '', responses };
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ text, thought }) => (text === undefined || thought ? [] : [text])).join('\n\n');
}

function declaredTools({ config }: GenerateContentParameters): ReadonlySet<string> {
  const declarations = (config?.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  return new Set(declarations.flatMap(({ name }) => name ?? []));
}

/** Marks third-party content for models that follow instructions. The offline model does not follow any. */
const UNTRUSTED = /^<untrusted_context>\n([^]*)\n<\/untrusted_context>$/;

function toOutcome({ response = {} }: FunctionResponse): Outcome {
  const failed = response['error'] !== undefined;
  const value = failed ? response['error'] : (response['output'] ?? response);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ok: !failed, text: UNTRUSTED.exec(text)?.[1] ?? text };
}

function toParts(step: Step): Part[] {
  if (step.kind === 'do') return [{ functionCall: toFunctionCall(step.action) }];
  return inPieces(step.text).map((text) => (step.kind === 'think' ? { text, thought: true } : { text }));
}

/** Splits into groups of a few words, as a model streams them; nothing is added or lost. */
function inPieces(text: string): string[] {
  return text.match(/(?:\S+\s*|\s+){1,6}/g) ?? [];
}

function frame(parts: Part[], responseId: string): GenerateContentResponse {
  return { candidates: [{ content: { role: 'model', parts }, index: 0 }], modelVersion: OFFLINE_MODEL, responseId };
}

function unsupported(what: string): ApiError {
  return new ApiError(`The offline model cannot ${what}.`, { reason: 'invalid_request' });
}
