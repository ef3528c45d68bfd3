/**
 * Creates an agent's client with everything around its turns: compression, loop detection,
 * output masking, next-speaker check. It only wires; it decides nothing.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { Compressor } from '../client/compression.ts';
import { GeminiClient } from '../client/gemini-client.ts';
import { IdeContext } from '../client/ide-context.ts';
import { LoopDetectionService } from '../client/loops/loop-detection.ts';
import type { LoopJudge } from '../client/loops/loop-judge.ts';
import type { MaskedOutputs, ToolOutputMask } from '../client/tool-output-masking.ts';
import type { UtilityModel } from '../client/utility-model.ts';
import type { Part } from '../protocol/content.ts';
import type { ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { catalogueOf } from '../routing/models.ts';
import type { createModelConfigResolver } from '../routing/model-configs.ts';
import type { Clock } from '../util/clock.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import type { WiringOptions } from './agent-options.ts';
import { reserveOf } from './model-watch.ts';
import type { ModelChoice } from './model-choice.ts';

export interface AgentClientParts {
  readonly chat: GeminiChat;
  readonly generator: ContentGenerator;
  readonly utility: UtilityModel;
  readonly choice: ModelChoice;
  readonly clock: Clock;
  readonly tokenLimit: (model: string) => number;
  readonly factsOf: (model: string) => ModelFacts;
  readonly onOverflow: (model: string, window: number | undefined) => Promise<void>;
  readonly resolveConfig: ReturnType<typeof createModelConfigResolver>;
}

export interface AgentClient {
  client: GeminiClient;
  loopDetection: LoopDetectionService;
}

export function createAgentClient(options: WiringOptions, parts: AgentClientParts): AgentClient {
  const { limits = {}, features = {}, hooks = {}, saveOutput, ideState, reportError, telemetry } = options;
  const { chat, generator, utility, choice, clock, tokenLimit } = parts;
  const compressor = new Compressor({
    model: utility,
    tokenLimit,
    catalogue: catalogueOf(generator),
    ...withoutUndefined({
      threshold: limits.compressionThreshold,
      hooks: hooks.agent,
      savedOutputs: saveOutput && {
        shorten: async (part: Part) => new (await loadMasking()).SavedOutputs(saveOutput).shorten(part),
      },
    }),
    onSummarised: ({ originalTokenCount: tokensBefore, newTokenCount: tokensAfter }) =>
      telemetry?.note({ kind: 'chat_compressed', tokensBefore, tokensAfter }),
  });
  const loopDetection = createLoopDetection(options, parts);
  const client = new GeminiClient({
    chat,
    generator,
    model: choice.resolved,
    tokenLimit,
    reserveFor: (model) => reserveOf(parts.factsOf(model)),
    chooseModel: choice.choose,
    compressor,
    loopDetection,
    utility,
    onOverflow: parts.onOverflow,
    continueOnFailedApiCall: features.continueOnFailedApiCall ?? false,
    turnOptions: { clock, ...(options.subagent && { role: 'subagent' }), ...withoutUndefined({ reportError }) },
    ...withoutUndefined({
      outputMask: createOutputMask(options),
      ideContext: ideState && new IdeContext(ideState),
      hooks: hooks.agent,
      openingHistory: options.openingHistory,
      answerFormat: options.answerFormat,
      maxSessionTurns: limits.maxSessionTurns,
      checkNextSpeaker: features.nextSpeakerCheck ? createSpeakerCheck(options, parts) : undefined,
    }),
  });
  return { client, loopDetection };
}

function createLoopDetection(
  { features = {}, telemetry }: WiringOptions,
  parts: AgentClientParts,
): LoopDetectionService {
  const { chat, utility, clock, resolveConfig } = parts;
  return new LoopDetectionService({
    clock,
    isEnabled: features.loopDetection ?? true,
    getHistory: () => chat.getHistory(true),
    ...(features.loopJudge !== false && { judge: openLoopJudge(utility) }),
    ...(telemetry && {
      onDetected: (type, prompt_id) => telemetry.note({ kind: 'loop_detected', type, prompt_id }),
      onJudged: (check) => {
        const secondModel = resolveConfig({ model: 'loop-detection-double-check' }).model;
        telemetry.note({ kind: 'loop_judged', ...check, secondModel });
      },
    }),
  });
}

/** The judge is loaded when it is first asked. */
function openLoopJudge(utility: UtilityModel): LoopJudge {
  return async (...question) => (await import('./loop-judge.ts')).createLoopJudge(utility)(...question);
}

const loadMasking = () => import('../client/tool-output-masking.ts');

/** Loaded with the first results: the session's context, a prompt and a request for calls come before them. */
function createOutputMask({
  saveOutput,
  outputMasking,
  telemetry,
}: WiringOptions): Pick<ToolOutputMask, 'apply'> | undefined {
  if (!saveOutput) return undefined;
  let mask: ToolOutputMask | undefined;
  const onMasked = telemetry && ((masked: MaskedOutputs) => telemetry.note({ kind: 'outputs_masked', ...masked }));
  return {
    async apply(chat) {
      if (!mask && chat.getContent(FIRST_RESULTS) === undefined) return;
      mask ??= new (await loadMasking()).ToolOutputMask(saveOutput, outputMasking, onMasked);
      await mask.apply(chat);
    },
  };
}

/** The least index of results in a history. */
const FIRST_RESULTS = 2;

function createSpeakerCheck({ telemetry }: WiringOptions, { chat, utility }: AgentClientParts) {
  return async (signal: AbortSignal, prompt_id: string) => {
    const { checkNextSpeaker } = await import('../client/next-speaker.ts');
    const speaker = (await checkNextSpeaker(chat, utility, signal, prompt_id))?.next_speaker;
    telemetry?.note({ kind: 'next_speaker_checked', prompt_id, result: speaker ?? '' });
    return speaker;
  };
}
