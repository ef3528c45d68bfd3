/** Creates an agent's scheduler with the bounds of its results. It only wires; the first calls load it. */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import { CoreToolScheduler } from '../scheduler/core-tool-scheduler.ts';
import type { ToolLookup } from '../scheduler/ports.ts';
import { hardOutputLimit, outputThreshold } from '../tools/tool-output.ts';
import type { Clock } from '../util/clock.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import type { WiringOptions } from './agent-options.ts';
import { createReadingPolicy } from './default-policy.ts';
import type { ModelChoice } from './model-choice.ts';
import { createDecisionRecorder } from './record-decisions.ts';

export interface SchedulerParts {
  chat: GeminiChat;
  choice: ModelChoice;
  clock: Clock;
  tokenLimit: (model: string) => number;
  factsOf: (model: string) => ModelFacts;
  tools: ToolLookup;
}

export function createScheduler(options: WiringOptions, parts: SchedulerParts): CoreToolScheduler {
  const { chat, choice, clock, tools } = parts;
  const { sessionId, interactive = false } = options;
  const session = options.rootSession ?? sessionId;
  return new CoreToolScheduler({
    tools,
    policy: options.policy ?? createReadingPolicy({ interactive }),
    clock,
    session,
    mediaInResponses: () => parts.factsOf(choice.current).mediaInResponses,
    outputBounds: () => {
      const window = parts.tokenLimit(choice.current);
      const remainingTokens = window - chat.getLastPromptTokenCount();
      const configured = options.limits?.toolOutput;
      return {
        threshold: outputThreshold({ window, remainingTokens, ...withoutUndefined({ configured }) }),
        hardLimit: hardOutputLimit(window),
        sessionId,
        get tempDirectory() {
          return options.tempDirectory();
        },
      };
    },
    ...withoutUndefined({
      hooks: options.hooks?.tool,
      recorder: options.callRecorder,
      changes: options.changeWatch,
      editProposal: options.editProposal,
      resultContext: options.resultContext,
      subagent: options.subagent,
      recordDecision:
        options.audit &&
        createDecisionRecorder(options.audit, {
          session,
          agent: options.subagent,
          mode: () => options.planning?.().approvalMode,
          bounds: () => options.commandBounds?.(),
        }),
    }),
  });
}
