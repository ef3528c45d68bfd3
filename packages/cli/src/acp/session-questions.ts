/**
 * SessionQuestions: passes what a session asks to the user of the editor, and the answer back: calls that need approval,
 * of sub-agents and MCP servers too, questions of the model, another model, and what an MCP server wants to know.
 */

import type { CreateElicitationRequest, PermissionOption, ToolCallContent } from '@agentclientprotocol/sdk';
import { GeminiEventType } from '@castor/core';
import type { AgentEvent, AgentSession, FallbackIntent } from '@castor/core';
import type { ServerAnswer, ServerQuestion } from '@castor/core/program';
import { makeVisible, makeVisibleLine } from '../make-visible.ts';
import type { ShellConsent } from '../slash/command.ts';
import { askOneByOne } from './ask-one-by-one.ts';
import type { Client } from './client.ts';
import { describeEditorFailure } from './editor-failure.ts';
import { askUserForm, answersIn, serverForm, serverContent } from './forms.ts';
import { describeQuestion, fence, option, permissionOptions, responseTo, textContent } from './permissions.ts';
import type { PermissionLimits, PermissionResponse } from './permissions.ts';
import { ToolCallUpdates } from './tool-call-updates.ts';
import type { CallFacts } from './tool-call-updates.ts';

export interface SessionQuestionsOptions {
  readonly client: Client;
  readonly sessionId: () => string;
  readonly limits: PermissionLimits;
}

type Confirmation = Extract<AgentEvent, { type: GeminiEventType.ToolCallConfirmation }>;
type Fallback = Extract<AgentEvent, { type: 'fallback_requested' }>;

const FALLBACKS: Readonly<Record<string, FallbackIntent>> = {
  proceed_once: 'retry_once',
  proceed_always: 'retry_always',
};

export class SessionQuestions {
  private readonly options: SessionQuestionsOptions;
  private asked = 0;

  constructor(options: SessionQuestionsOptions) {
    this.options = options;
  }

  /** Answers where the event is a question. Never rejects: a question that is gone needs no answer. */
  async answer(event: AgentEvent, session: AgentSession, signal: AbortSignal, calls?: ToolCallUpdates): Promise<void> {
    try {
      if (event.type === GeminiEventType.ToolCallConfirmation) {
        const facts = calls?.factsOf(event.value.request.callId, event) ?? {};
        const { outcome, payload } = await this.askApproval(event, facts, signal);
        session.respond(event.value.request.callId, outcome, payload, event);
      } else if (event.type === GeminiEventType.FallbackRequested) {
        session.answerFallback(event.requestId, await this.askFallback(event, signal), event);
      }
    } catch {
      // It was settled in the meantime, by an abort for example.
    }
  }

  private async askApproval(event: Confirmation, facts: CallFacts, signal: AbortSignal): Promise<PermissionResponse> {
    try {
      return await (event.value.details.type === 'ask_user'
        ? this.askUser(event, facts, signal)
        : this.askLeave(event, facts, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      // An editor that cannot ask has not allowed anything.
      const problem = `The editor could not ask the user: ${describeEditorFailure(error).message}`;
      return { outcome: 'cancel', payload: { problem } };
    }
  }

  private async askLeave(event: Confirmation, facts: CallFacts, signal: AbortSignal): Promise<PermissionResponse> {
    const { request, details, problem } = event.value;
    const options = permissionOptions(details, this.options.limits);
    const content = describeQuestion(details);
    const told = problem === undefined ? content : [textContent(makeVisible(problem)), ...content];
    const toolCallId = ToolCallUpdates.idOf(request.callId, event);
    const chosen = await this.choose({ toolCallId, ...facts }, event.value.agent, told, options, signal);
    return (
      responseTo(details, chosen, options) ?? {
        outcome: 'cancel',
        payload: {
          problem: `The editor answered the question with an unknown option: ${makeVisibleLine(chosen ?? '')}`,
        },
      }
    );
  }

  private async askUser(event: Confirmation, facts: CallFacts, signal: AbortSignal): Promise<PermissionResponse> {
    const { request, details } = event.value;
    if (details.type !== 'ask_user') return { outcome: 'cancel' };
    const toolCallId = ToolCallUpdates.idOf(request.callId, event);
    if (this.options.client.capabilities.elicitation?.form) {
      const answer = await this.elicit({ ...askUserForm(details.questions), toolCallId }, signal);
      return answer
        ? { outcome: 'proceed_once', payload: { answers: answersIn(details.questions, answer) } }
        : { outcome: 'cancel' };
    }
    const answers = await askOneByOne(details.questions, ({ title, text, options }) =>
      this.choose({ toolCallId, ...facts, title }, event.value.agent, [textContent(text)], options, signal),
    );
    return answers ? { outcome: 'proceed_once', payload: { answers } } : { outcome: 'cancel' };
  }

  private async askFallback(
    { requestId, message, fallbackModel }: Fallback,
    signal: AbortSignal,
  ): Promise<FallbackIntent> {
    const name = makeVisibleLine(fallbackModel);
    const options = [
      option('proceed_once', `Use ${name} for this request`, 'allow_once'),
      option('proceed_always', `Use ${name} from now on`, 'allow_always'),
      option('cancel', 'Stop, and try again later', 'reject_once'),
    ];
    const chosen = await this.chooseAlone(`fallback-${requestId}`, makeVisibleLine(message), [], options, signal);
    return FALLBACKS[chosen ?? ''] ?? 'retry_later';
  }

  /** A question of ours that belongs to no call; dismissed means no. */
  async confirm(title: string, signal: AbortSignal, page = ''): Promise<boolean> {
    const content = page === '' ? [] : [textContent(fence(makeVisible(page)))];
    const options = [option('proceed_once', 'Allow once', 'allow_once'), option('cancel', 'Deny', 'reject_once')];
    return (await this.chooseAlone(this.nextId('access'), title, content, options, signal)) === 'proceed_once';
  }

  /** The shell commands of a custom command. */
  async confirmCommands(commands: readonly string[], signal: AbortSignal): Promise<ShellConsent> {
    const options = [
      ...(this.options.limits.allowsAlways ? [option('proceed_always', 'Allow for this session', 'allow_always')] : []),
      option('proceed_once', 'Allow', 'allow_once'),
      option('cancel', 'Reject', 'reject_once'),
    ];
    const content = [textContent(fence(makeVisible(commands.join('\n'))))];
    const id = this.nextId('commands');
    const chosen = await this.chooseAlone(id, 'Run the commands of this slash command', content, options, signal);
    return chosen === 'proceed_always' ? 'always' : chosen === 'proceed_once' ? 'once' : 'cancel';
  }

  private nextId(kind: string): string {
    this.asked += 1;
    return `${kind}-${this.asked}-${crypto.randomUUID().slice(0, 8)}`;
  }

  /** What an MCP server wants: data, a page to be opened, or an answer of the model. */
  async answerServer(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> {
    const { elicitation } = this.options.client.capabilities;
    const server = makeVisibleLine(question.server);
    try {
      switch (question.type) {
        case 'form': {
          if (!elicitation?.form) return { action: 'decline' };
          const answer = await this.elicit(serverForm(question), signal);
          if (!answer) return { action: 'decline' };
          const content = serverContent(question.fields, answer);
          // A form that is not filled in is no answer: the server would take it for one.
          return content ? { action: 'accept', content } : { action: 'cancel' };
        }
        case 'url': {
          if (!elicitation?.url) return { action: 'decline' };
          const message = `The MCP server ${server} asks you to open a page: ${makeVisible(question.message)}`;
          const { url } = question;
          const answer = await this.elicit({ mode: 'url', message, url, elicitationId: crypto.randomUUID() }, signal);
          return answer ? { action: 'accept' } : { action: 'decline' };
        }
        case 'sampling': {
          const title = `The MCP server ${server} asks for an answer of the model`;
          const words = JSON.stringify(question.request.contents, null, 2);
          const options = [option('proceed_once', 'Allow', 'allow_once'), option('cancel', 'Reject', 'reject_once')];
          const id = this.nextId('sampling');
          const chosen = await this.chooseAlone(id, title, [textContent(makeVisible(words))], options, signal);
          return { action: chosen === 'proceed_once' ? 'accept' : 'decline' };
        }
      }
    } catch {
      return { action: 'cancel' };
    }
  }

  /** The accepted content; undefined for a refusal. */
  private async elicit(
    form: Record<string, unknown> & { message: string },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { client, sessionId } = this.options;
    const params = { sessionId: sessionId(), mode: 'form', ...form } as unknown as CreateElicitationRequest;
    const answer: { action?: unknown; content?: unknown } = await client.request('elicitation/create', params, signal);
    if (answer.action !== 'accept') return undefined;
    return (answer.content ?? {}) as Readonly<Record<string, unknown>>;
  }

  /** A question that belongs to no call has one of its own in the editor, which ends with the answer. */
  private async chooseAlone(
    toolCallId: string,
    title: string,
    content: ToolCallContent[],
    options: PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, sessionId } = this.options;
    const call = { toolCallId, title, kind: 'other', content } as const;
    await client.update(sessionId(), { sessionUpdate: 'tool_call', status: 'pending', ...call });
    let chosen: string | undefined;
    try {
      const answer = await this.choose({ toolCallId, title, kind: 'other' }, undefined, content, options, signal);
      chosen = options.find(({ optionId }) => optionId === answer)?.optionId;
      return chosen;
    } catch (error) {
      if (signal.aborted) throw error;
      // An editor that cannot ask has dismissed the question.
      return undefined;
    } finally {
      const status = chosen === undefined || chosen === 'cancel' ? 'failed' : 'completed';
      await client.update(sessionId(), { sessionUpdate: 'tool_call_update', toolCallId, status });
    }
  }

  /** The id of the chosen option; undefined when the user dismissed the question. */
  private async choose(
    call: CallFacts & { toolCallId: string },
    agent: string | undefined,
    content: ToolCallContent[],
    options: PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, sessionId } = this.options;
    const asker = agent === undefined ? [] : [textContent(`The sub-agent ${makeVisibleLine(agent)} asks.`)];
    const answer = await client.request(
      'session/request_permission',
      {
        sessionId: sessionId(),
        options,
        toolCall: { ...call, status: 'pending', content: [...asker, ...content] },
      },
      signal,
    );
    const { outcome } = answer;
    return outcome?.outcome === 'selected' && typeof outcome.optionId === 'string' ? outcome.optionId : undefined;
  }
}
