/**
 * Sends telemetry to a collector, at the address the user configured and no other. An unreachable or rejecting
 * collector costs one warning and the records, never the run.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import { toOtlp } from './otlp-json.ts';
import { sendOverGrpc, sendOverHttp } from './otlp-transport.ts';
import type { Resource, TelemetrySink } from './signals.ts';

export interface OtlpSinkOptions {
  endpoint: URL;
  protocol: 'grpc' | 'http';
  resource: Resource;
  onProblem: (message: string) => void;
}

export function createOtlpSink({ endpoint, protocol, resource, onProblem }: OtlpSinkOptions): TelemetrySink {
  const send = protocol === 'grpc' ? sendOverGrpc : sendOverHttp;
  let hasFailed = false;
  return {
    async write(signals) {
      // After a failure nothing more is sent, so that the collector cannot delay the end of the run again.
      if (hasFailed) return;
      try {
        for (const { kind, body } of toOtlp(signals, resource)) await send(endpoint, kind, body);
      } catch (error) {
        hasFailed = true;
        onProblem(`Sending telemetry to ${endpoint.origin} over ${protocol} failed: ${getErrorMessage(error)}`);
      }
    },
  };
}
