/**
 * openTelemetry: creates the telemetry port from the user's settings, or none. Disabled means: no other module of
 * this room is loaded, no timer runs and no connection is made.
 */

import type { HookExecution } from '../hooks/hook-events.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { ClosedCall } from './closed-call.ts';
import type { Happening } from './happenings.ts';
import type { Attributes } from './signals.ts';

/** As in the settings, under `telemetry`. */
export interface TelemetrySettings {
  enabled?: boolean;
  traces?: boolean;
  target?: string;
  otlpEndpoint?: string;
  otlpProtocol?: string;
  logPrompts?: boolean;
  outfile?: string | undefined;
}

export interface TelemetryContext {
  sessionId: string;
  installationId?: string | undefined;
  version: string;
  interactive: boolean;
  authType?: string | undefined;
  /** The model provider, by OpenTelemetry's names. Default Google's, by the kind of authorisation. */
  provider?: string;
  /** The address of the service. */
  endpoint?: string;
  clock?: Clock;
  onProblem: (message: string) => void;
}

/** The port the runtime reports to. None of its methods throws. */
export interface TelemetryPort {
  watch<G extends ContentGenerator>(generator: G): G;
  add(event: AgentEvent): void;
  called(call: ClosedCall): void;
  hookExecuted(execution: HookExecution): void;
  /** For facts that neither an event nor a request carries. */
  note(happening: Happening): void;
  /** Writes one record under its full name. */
  log(name: string, body: string, attributes: Attributes): void;
  /** From now on each record passes through it before it is written. */
  concealWith?(conceal: <T>(value: T) => T): void;
  /** Resolves when every record was delivered, or its delivery failed. */
  shutdown(): Promise<void>;
}

/** Thrown for an invalid target or protocol. */
export class TelemetrySettingsError extends Error {
  override readonly name = 'TelemetrySettingsError';
}

const DEFAULT_ENDPOINT = 'http://localhost:4317';

export async function openTelemetry(
  settings: TelemetrySettings,
  context: TelemetryContext,
): Promise<TelemetryPort | undefined> {
  if (!settings.enabled) return undefined;
  const protocol = toProtocol(settings.otlpProtocol);
  const target = settings.target ?? 'local';
  if (target !== 'local' && target !== 'gcp') {
    throw new TelemetrySettingsError(`telemetry.target must be local or gcp, not ${JSON.stringify(target)}.`);
  }
  const { clock = systemClock, onProblem } = context;
  const resource = {
    'service.name': 'gemini-cli',
    'service.version': context.version,
    'session.id': context.sessionId,
  };
  const sink = await openSink();
  if (!sink) return undefined;
  const { createTelemetryPort } = await import('./telemetry-port.ts');
  return createTelemetryPort({
    sink,
    clock,
    logPrompts: settings.logPrompts ?? true,
    traces: settings.traces ?? false,
    provider: context.provider ?? (context.authType === 'vertex-ai' ? 'gcp.vertex_ai' : 'gcp.gen_ai'),
    server: toServer(context.endpoint),
    common: {
      'session.id': context.sessionId,
      'installation.id': context.installationId,
      interactive: context.interactive,
      auth_type: context.authType,
    },
  });

  async function openSink() {
    if (settings.outfile !== undefined && settings.outfile !== '') {
      const { createFileSink } = await import('./file-sink.ts');
      return createFileSink({ path: settings.outfile, resource, onProblem });
    }
    if (target === 'gcp') {
      onProblem(
        'Telemetry to Google Cloud (telemetry.target gcp) is not available; use telemetry.outfile or a collector.',
      );
      return undefined;
    }
    const { createOtlpSink } = await import('./otlp-sink.ts');
    return createOtlpSink({ endpoint: toEndpoint(settings.otlpEndpoint), protocol, resource, onProblem });
  }
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

function toServer(endpoint = ''): Attributes {
  if (!URL.canParse(endpoint)) return {};
  const { hostname, port, protocol } = new URL(endpoint);
  return { 'server.address': hostname, 'server.port': port === '' ? PORTS[protocol] : Number(port) };
}

function toProtocol(text = 'grpc'): 'grpc' | 'http' {
  if (text === 'grpc' || text === 'http') return text;
  throw new TelemetrySettingsError(`telemetry.otlpProtocol must be grpc or http, not ${JSON.stringify(text)}.`);
}

function toEndpoint(text = DEFAULT_ENDPOINT): URL {
  const endpoint = URL.canParse(text) ? new URL(text) : undefined;
  if (endpoint?.protocol === 'http:' || endpoint?.protocol === 'https:') return endpoint;
  throw new TelemetrySettingsError(
    `telemetry.otlpEndpoint must be an http or https address, not ${JSON.stringify(text)}.`,
  );
}
