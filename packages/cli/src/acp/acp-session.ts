/**
 * AcpSession: one session of an editor: its prompts one after the other, its modes and models, and what it shows. A
 * thin surface over the conversation that every surface shares.
 */

import type { ContentBlock, PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent, ApprovalMode, WorkspaceAgent } from '@castor/core';
import type { Start } from '../start/start.ts';
import { Conversation } from '../surface/conversation.ts';
import type { PreparedAnswer, PreparedTurn } from '../surface/conversation-ports.ts';
import { createReadContext } from '../surface/read-context.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import type { LiveSession, SessionEnd } from '../surface/session-lifecycle.ts';
import { admitFiles } from './admit-files.ts';
import type { Client } from './client.ts';
import { CommandAnnouncer } from './command-announcer.ts';
import { commandHint } from './editor-hints.ts';
import type { OfferedModel } from './other-models.ts';
import { readBlocks, withSigns } from './prompt-content.ts';
import type { PromptContent } from './prompt-content.ts';
import { failureOf, PromptFailure, promptResult } from './prompt-result.ts';
import { replayUpdates } from './replay.ts';
import { configOptions, modelState, modeState, refusalOf } from './session-choices.ts';
import type { SessionQuestions } from './session-questions.ts';
import { SessionUpdates } from './session-updates.ts';

export interface AcpSessionOptions {
  readonly client: Client;
  readonly start: Start;
  readonly live: LiveSession;
  readonly questions: SessionQuestions;
  readonly startedAt: number;
  readonly otherModels: readonly OfferedModel[];
  /** Called when the session ends. */
  readonly onEnd: () => void;
}

/** Of a model of the Gemini API, or of another provider. */
const FULL_NAME = /^gem(?:ini|ma)-.|^[^/]+\/./;

export interface SessionChoices {
  readonly mode: ApprovalMode;
  readonly model: string;
}

export class AcpSession {
  readonly updates: SessionUpdates;
  private readonly options: AcpSessionOptions;
  private readonly conversation: Conversation;
  private readonly commands: CommandAnnouncer;
  private readonly ending = new AbortController();
  /** The prompts that run or wait; the last one counts, a newer prompt cancels those before it. */
  private prompts = new Set<AbortController>();
  private last: Promise<unknown> = Promise.resolve();
  private content: PromptContent = { text: '', files: [], parts: [] };
  private failure: unknown;
  private begun: Promise<void> = Promise.resolve();
  private shown: Promise<void> = Promise.resolve();
  private shownModel: string;
  /** Updates wait for `introduce`: the editor does not know the session yet, or not what was shown before. */
  private held: SessionUpdate[] | undefined = [];

  constructor(options: AcpSessionOptions) {
    this.options = options;
    const { client, live, start } = options;
    const { agent } = live;
    this.shownModel = agent.requestedModel();
    this.updates = new SessionUpdates({
      capabilities: client.capabilities,
      emit: (update) => this.emit(update),
      toolOf: (name) => agent.tools.getTool(name),
      onMode: (mode) => this.showMode(mode),
      onUsage: (used) => this.showUsage(used),
    });
    this.commands = new CommandAnnouncer(start, agent, (update) => this.emit(update));
    this.conversation = new Conversation({
      live: async () => live,
      read: (_given, signal) => this.read(signal),
      show: (event) => this.show(event),
      onError: (error) => void (this.failure = error),
      signal: this.ending.signal,
    });
    live.follow((event) => void this.show(event));
  }

  get id(): string {
    return this.options.live.session.sessionId;
  }

  get start(): Start {
    return this.options.start;
  }

  get recorder(): LiveSession['session']['recorder'] {
    return this.options.live.session.recorder;
  }

  get agent(): WorkspaceAgent {
    return this.options.live.agent;
  }

  /** Aborts with the current prompt: what the editor is asked for then is no longer waited for. */
  get promptSignal(): AbortSignal {
    return [...this.prompts].at(-1)?.signal ?? this.ending.signal;
  }

  /** What a new or loaded session tells the editor. */
  describe() {
    const start = { ...this.options.start, others: this.options.otherModels };
    const [mode, model] = [this.agent.policy.mode, this.agent.requestedModel()];
    return {
      modes: modeState(start, mode),
      models: modelState(start, model),
      configOptions: configOptions(start, mode, model),
    };
  }

  /** What the user of the editor chose in it. */
  get choices(): SessionChoices {
    return { mode: this.agent.policy.mode, model: this.agent.requestedModel() };
  }

  /** As they were when the session was closed, as far as they are still allowed. */
  async restore({ mode, model }: SessionChoices): Promise<void> {
    if (refusalOf(this.options.start, mode) === undefined) this.agent.policy.mode = mode;
    if (model !== this.agent.requestedModel()) await this.setModel(model).catch(() => undefined);
  }

  /** Runs the SessionStart hooks, which the first prompt waits for, and tells the warnings of the start. */
  begin(occasion: 'startup' | 'resume'): void {
    const { live, start } = this.options;
    this.begun = live.begin(occasion, this.ending.signal);
    for (const message of [...start.warnings, ...live.session.notices]) this.updates.tell('warning', message);
    for (const notice of start.notices) this.updates.tell('info', notice);
    this.commands.announce();
  }

  /** Sends what has been shown so far: the editor knows the session, and its history, now. */
  introduce(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const update of held) this.emit(update);
  }

  /** Shows what an earlier run showed. Resolves when the editor has it. */
  async replay(): Promise<void> {
    const toolOf = (name: string) => this.agent.tools.getTool(name);
    const events = this.options.live.session.events({ withFiles: true });
    for (const update of replayUpdates(events, toolOf)) this.send(update);
    await this.shown;
  }

  /** Rejects with a PromptFailure. A newer prompt cancels this one. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    this.cancel();
    const controller = new AbortController();
    this.prompts.add(controller);
    const onAbort = () => this.abort(controller);
    signal.addEventListener('abort', onAbort, { once: true });
    const run = this.last.then(() => this.run(blocks, controller.signal));
    this.last = run.catch(() => undefined);
    try {
      return await run;
    } finally {
      this.prompts.delete(controller);
      signal.removeEventListener('abort', onAbort);
    }
  }

  cancel(): void {
    for (const controller of this.prompts) this.abort(controller);
  }

  /** Throws an Error with a sentence. */
  setMode(mode: string): void {
    const refusal = refusalOf(this.options.start, mode);
    if (refusal !== undefined) throw new Error(refusal);
    this.agent.policy.mode = mode as ApprovalMode;
  }

  /** One of the models that the editor was given, or another by its full name. Rejects with a sentence, as `setModel` does. */
  async chooseModel(name: string): Promise<void> {
    const offered = this.describe().models.availableModels.map(({ modelId }) => modelId);
    if (!offered.includes(name) && !FULL_NAME.test(name))
      throw new Error(`Unknown model: ${name}. The models are ${offered.join(', ')}, and any other as provider/model.`);
    await this.setModel(name);
  }

  /** Rejects with a sentence for a model that cannot be used. */
  async setModel(name: string): Promise<void> {
    this.agent.setModel(await this.options.live.prepareModel(name));
    this.showOptions();
  }

  /** Stops everything and closes the session's file. */
  async end(end: Pick<SessionEnd, 'limitMs' | 'hurry'>): Promise<void> {
    // A question that is still open in the editor is withdrawn.
    this.cancel();
    this.conversation.leave();
    this.ending.abort();
    await this.conversation.settled().catch(() => undefined);
    this.options.onEnd();
    await this.options.live.end({ reason: 'exit', ...end });
  }

  private abort(controller: AbortController): void {
    if (controller.signal.aborted) return;
    controller.abort();
    this.conversation.cancel();
  }

  private async run(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { agent } = this;
    await this.begun;
    if (signal.aborted || this.ending.signal.aborted) return { stopReason: 'cancelled' };
    this.content = readBlocks(blocks);
    this.failure = undefined;
    this.updates.ended = undefined;
    const before = agent.ledger.metrics();
    this.conversation.enqueue({ text: this.content.text || ' ' });
    await this.conversation.settled();
    await this.shown;
    if (agent.requestedModel() !== this.shownModel) this.showOptions();
    this.commands.announce();
    if (this.failure !== undefined && !signal.aborted) throw failureOf(this.failure);
    return promptResult(this.updates.ended, before, agent.ledger.metrics());
  }

  private async read(signal: AbortSignal): Promise<PreparedTurn | PreparedAnswer> {
    const { start, live, startedAt, questions } = this.options;
    const { text, files, parts } = this.content;
    await admitFiles(files, this.agent.workspace, questions, signal);
    const context = createReadContext({ start, live, startedAt, signal, isAttended: false });
    const services = {
      ...context.services,
      confirmShellCommands: (commands: readonly string[]) => questions.confirmCommands(commands, signal),
      confirmPage: (page: string, question: string) => questions.confirm(question, signal, page),
    };
    const read = await readPrompt(text, { ...context, needsTerminal: commandHint, services });
    switch (read.kind) {
      case 'prompt':
        for (const note of read.notes) this.updates.tell('warning', note);
        return {
          parts: [...read.parts.map(withSign), ...parts].filter((part) => part.text !== ''),
          text: withSigns(read.displayText),
        };
      case 'answered':
        // A command may end by itself when it is cancelled, with what it had to say until then.
        return { answer: read.text, ...(signal.aborted && { ending: { outcome: 'cancelled' } }) };
      case 'error':
        return signal.aborted ? { answer: '', ending: { outcome: 'cancelled' } } : { answer: read.message };
      case 'command':
        throw new PromptFailure(-32_603, `${read.result.type} needs a screen.`);
    }
  }

  private show(event: AgentEvent): Promise<void> | undefined {
    this.updates.show(event);
    if (event.type === 'tools_changed') this.commands.announce();
    void this.options.questions.answer(event, this.agent.session, this.promptSignal, this.updates.calls);
    return this.shown;
  }

  private emit(update: SessionUpdate): void {
    if (this.held) this.held.push(update);
    else this.send(update);
  }

  private send(update: SessionUpdate): void {
    this.shown = this.options.client.update(this.id, update);
  }

  private showMode(currentModeId: string): void {
    this.emit({ sessionUpdate: 'current_mode_update', currentModeId });
    this.showOptions();
  }

  private showOptions(): void {
    this.shownModel = this.agent.requestedModel();
    this.emit({ sessionUpdate: 'config_option_update', configOptions: this.describe().configOptions });
  }

  private showUsage(used: number): void {
    const { agent } = this;
    const { usd } = agent.ledger.cost();
    const size = agent.tokenLimit(agent.requestedModel());
    this.emit({
      sessionUpdate: 'usage_update',
      used,
      size,
      // Sums of binary fractions end in noise.
      ...(usd !== undefined && { cost: { amount: Number(usd.toFixed(6)), currency: 'USD' } }),
    });
  }
}

function withSign<T extends { text?: string }>(part: T): T {
  return part.text === undefined ? part : { ...part, text: withSigns(part.text) };
}
