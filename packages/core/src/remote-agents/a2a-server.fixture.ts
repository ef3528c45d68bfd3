/**
 * A remote agent for tests: the public A2A SDK behind express, so that our client meets a server we did not write. The
 * text it receives chooses what it does; every request is kept.
 */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

export interface A2aServerOptions {
  version?: '0.3' | '1.0';
  binding?: 'JSONRPC' | 'HTTP+JSON';
  streaming?: boolean;
  /** Whether a request is let in; others get 401. Default: all. */
  admits?: (headers: Readonly<Record<string, string | string[] | undefined>>) => boolean;
  /** The card needs the credential too. */
  guardsCard?: boolean;
  /** Merged into the card as it is sent. */
  card?: Readonly<Record<string, unknown>>;
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** `cut` ends the connection of a stream after the task was announced. */
type Behaviour =
  | 'answer'
  | 'message'
  | 'artifacts'
  | 'ask'
  | 'fail'
  | 'reject'
  | 'hang'
  | 'cut'
  | 'empty'
  | 'auth'
  | 'long';

class Executor implements AgentExecutor {
  readonly cancelled: string[] = [];
  private readonly hanging = new Map<string, () => void>();
  /** Resolves when the connection of the last request is closed. */
  whenCut: Promise<void> = Promise.resolve();

  async execute({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const text = Message.toJSON(userMessage) as { parts?: { text?: string }[] };
    const words = text.parts?.map((part) => part.text ?? '').join('') ?? '';
    const [behaviour] = words.split(' ') as [Behaviour | ''];
    const say = (state: string, message?: string) =>
      bus.publish(
        AgentEvent.statusUpdate(
          TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status: statusOf(state, message) }),
        ),
      );
    const artifact = (name: string, part: string, more: object = {}) =>
      bus.publish(
        AgentEvent.artifactUpdate(
          TaskArtifactUpdateEvent.fromJSON({
            taskId,
            contextId,
            artifact: { artifactId: name, name, parts: [{ text: part }] },
            ...more,
          }),
        ),
      );
    if (behaviour === 'message') {
      bus.publish(
        AgentEvent.message(
          Message.fromJSON({ messageId: 'm', contextId, role: 'ROLE_AGENT', parts: [{ text: 'Only a message.' }] }),
        ),
      );
      return;
    }
    bus.publish(
      AgentEvent.task(
        task ??
          Task.fromJSON({
            id: taskId,
            contextId,
            status: { state: 'TASK_STATE_SUBMITTED' },
            history: [Message.toJSON(userMessage)],
          }),
      ),
    );
    switch (behaviour) {
      case 'artifacts':
        artifact('report', 'first, ');
        artifact('report', 'second', { append: true, lastChunk: true });
        artifact('other', 'more');
        say('COMPLETED', 'Done.');
        break;
      case 'ask':
        say('INPUT_REQUIRED', 'Which city?');
        break;
      case 'auth':
        say('AUTH_REQUIRED', 'Log in at the bank.');
        break;
      case 'fail':
        say('WORKING', 'Half of it.');
        say('FAILED', 'The engine broke.');
        break;
      case 'reject':
        say('REJECTED', 'Not my business.');
        break;
      case 'empty':
        say('COMPLETED');
        break;
      case 'long':
        say('COMPLETED', 'x'.repeat(50_000));
        break;
      case 'cut':
        say('WORKING', 'Begun.');
        await this.whenCut;
        say('COMPLETED', 'Finished without you.');
        break;
      case 'hang': {
        say('WORKING', 'Thinking.');
        await new Promise<void>((resolve) => this.hanging.set(taskId, resolve));
        say('CANCELED', 'Stopped.');
        break;
      }
      default:
        say('WORKING', 'Looking.');
        say('WORKING', 'Looking.');
        say('COMPLETED', `You said: ${words}${task ? ' (continued)' : ''}`);
    }
  }

  async cancelTask(taskId: string): Promise<void> {
    this.cancelled.push(taskId);
    this.hanging.get(taskId)?.();
  }
}

function statusOf(state: string, message: string | undefined): object {
  return {
    state: `TASK_STATE_${state}`,
    ...(message !== undefined && {
      message: { messageId: `${state}-${message.length}`, role: 'ROLE_AGENT', parts: [{ text: message }] },
    }),
  };
}

export async function startA2aServer(options: A2aServerOptions = {}) {
  const { version = '1.0', binding = 'JSONRPC', streaming = true, admits = () => true, guardsCard = false } = options;
  const requests: SeenRequest[] = [];
  const executor = new Executor();
  const app = express();
  const server: Server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = binding === 'JSONRPC' ? '/rpc' : '/rest';
  const card = AgentCard.fromJSON({
    name: 'Weather',
    description: 'Knows the weather.',
    version: '2',
    capabilities: { streaming },
    supportedInterfaces: [{ url: `${url}${path}`, protocolBinding: binding, protocolVersion: version }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'forecast', name: 'Forecast', description: 'Tells the weather of tomorrow.', tags: [] }],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const isLegacy = version === '0.3';
  const common = {
    requestHandler,
    userBuilder: UserBuilder.noAuthentication,
    ...(isLegacy && { legacyCompat: { enabled: true } }),
  };
  app.use((request, response, next) => {
    const { method, headers } = request;
    const isCard = request.path === CARD_PATH;
    const seen: SeenRequest = { method, path: request.path, headers: { ...headers }, body: undefined };
    requests.push(seen);
    // A server of 0.3 does not know the header.
    if (isLegacy && isCard) delete headers['a2a-version'];
    if ((!isCard || guardsCard) && !admits(headers)) return void response.status(401).json({ error: 'no' });
    executor.whenCut = cutAfter('Begun.', response);
    next();
  });
  if (options.card) app.get(CARD_PATH, (_request, response) => void response.json(options.card));
  app.use(
    CARD_PATH,
    agentCardHandler({ agentCardProvider: requestHandler, ...(isLegacy && { legacyCompat: { enabled: true } }) }),
  );
  app.use('/rpc', jsonRpcHandler(common));
  app.use('/rest', restHandler(common));
  return {
    url,
    cardUrl: `${url}${CARD_PATH}`,
    requests,
    cancelled: executor.cancelled,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Destroys the connection once this text was sent. */
function cutAfter(text: string, response: express.Response): Promise<void> {
  const write = response.write.bind(response) as (chunk: unknown, done: () => void) => boolean;
  response.write = ((chunk: unknown) =>
    write(chunk, () => {
      if (String(chunk).includes(text)) response.destroy();
    })) as typeof response.write;
  return once(response, 'close').then(() => undefined);
}

const CARD_PATH = '/.well-known/agent-card.json';
