/** Opens the MCP servers of a workspace, with the model they may ask and the tools an earlier run has loaded. */

import { openServers } from '../mcp/open-servers.ts';
import type { OpenedServers, OpenServersOptions } from '../mcp/open-servers.ts';
import type { McpLayer } from '../mcp/server-layer.ts';
import { loadedNames, SEARCH_TOOL } from '../mcp/tool-search.ts';
import type { AgentEvent, SessionEvent } from '../protocol/agent-events.ts';
import type { PolicyRule } from '../policy/rule.ts';
import { FinishReason } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { SamplingAnswer, SamplingRequest } from '../protocol/server-questions.ts';
import type { Source } from '../protocol/source.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { createModelConfigResolver } from '../routing/model-configs.ts';
import { catalogueOf } from '../routing/models.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ShellRunner } from '../tools/shell/shell-runner.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { Confine } from '../util/invocation.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import type { ResolvedWorkspaceOptions } from './workspace-options.ts';

export interface ServerSurroundings {
  workspace: Workspace;
  sources: readonly Source[];
  tools: ToolRegistry;
  shell: ShellRunner;
  confine: Confine | undefined;
  /** Spends from the session's budget. */
  generator: ContentGenerator;
  mainModel(): string;
  /** Whether a tool is not offered because the run cannot ask about it. Default: none. */
  isUnanswerable?: ((tool: DefinedTool) => boolean) | undefined;
  /** Checked for misspelled tools and servers. Default: none. */
  rules?: readonly PolicyRule[];
  tellModel(note: string): void;
  post(event: SessionEvent): void;
}

export function startWorkspaceServers(
  options: ResolvedWorkspaceOptions,
  around: ServerSurroundings,
  ofExtensions: readonly McpLayer[],
): OpenedServers {
  const { mcp = { layers: [] }, environment, home, trustedFolder, isTrustedForRun = false, secrets } = options;
  const { workspace, tools, shell, confine, isUnanswerable, tellModel, post } = around;
  const { root } = workspace;
  const layers = [...ofExtensions, ...mcp.layers];
  const { reloadLayers } = mcp;
  return openServers({
    ...mcp,
    // Without a user to keep waiting, a run waits for every server.
    promptWaitMs: options.interactive === true ? mcp.promptWaitMs : undefined,
    layers,
    ...(reloadLayers && { reloadLayers: () => [...ofExtensions, ...reloadLayers()] }),
    root,
    home,
    environment,
    secrets,
    redaction: options.redaction,
    guard: shell.guard,
    confine,
    clock: options.clock ?? systemClock,
    tools,
    trustedFolder,
    isTrustedForRun,
    hints: options.hints,
    roots: () => workspace.directories,
    sample: createSample(options, around),
    loadedBefore: () => (options.session?.events() ?? []).flatMap((event) => loadedBy(event)),
    isUnanswerable,
    checkRules: createRuleCheck(around.rules),
    tellModel,
    post,
  });
}

/** Undefined where no rule is about servers: the check is not loaded then. */
function createRuleCheck(rules: readonly PolicyRule[] = []): OpenServersOptions['checkRules'] {
  const isAboutServers = ({ kind, mcpName, toolName }: PolicyRule) =>
    kind !== 'builtin' && (mcpName !== undefined || toolName.startsWith('mcp_'));
  if (!rules.some(isAboutServers)) return undefined;
  return async (servers) => (await import('../policy/unknown-server-tools.ts')).findUnknownServerTools(rules, servers);
}

/** The tools whose declarations an event of an earlier run added: by a search, or by a call. */
function loadedBy(event: AgentEvent): string[] {
  if (event.type === GeminiEventType.ToolCallRequest)
    return event.value.name.startsWith('mcp_') ? [event.value.name] : [];
  if (event.type !== GeminiEventType.ToolCallResponse) return [];
  return event.value.responseParts.flatMap(({ functionResponse }) => {
    const output: unknown = functionResponse?.name === SEARCH_TOOL ? functionResponse.response?.['output'] : undefined;
    return typeof output === 'string' ? loadedNames(output) : [];
  });
}

/** Sends the request of a server to the model of the conversation. Rejects once the budget is spent. */
function createSample(
  { modelConfigs, features }: ResolvedWorkspaceOptions,
  { generator, mainModel }: Pick<ServerSurroundings, 'generator' | 'mainModel'>,
): (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingAnswer> {
  const resolve = createModelConfigResolver({
    preview: features?.preview ?? true,
    catalogue: catalogueOf(generator),
    mainModel,
    ...modelConfigs,
  });
  return async ({ system, contents, maxTokens, temperature, stopSequences }, signal) => {
    const { model, config } = resolve({ model: mainModel() });
    const own = withoutUndefined({ systemInstruction: system, temperature, stopSequences });
    const response = await generator.generateContent(
      {
        model,
        contents: [...contents],
        config: { ...config, ...own, maxOutputTokens: maxTokens, abortSignal: signal },
      },
      'mcp-sampling',
      'utility_tool',
    );
    const [candidate] = response.candidates ?? [];
    const parts = candidate?.content?.parts ?? [];
    const text = parts.flatMap(({ text: words = '', thought }) => (thought === true ? [] : [words])).join('');
    return { text, model, isCut: candidate?.finishReason === FinishReason.MAX_TOKENS };
  };
}
