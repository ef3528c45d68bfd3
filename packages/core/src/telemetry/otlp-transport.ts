/** Sends OTLP over HTTP with JSON, or over gRPC (HTTP/2 with protobuf). One request, one answer, a deadline. */

import type { IncomingHttpHeaders } from 'node:http2';
import type { OtlpKind } from './otlp-json.ts';
import { toProtobuf } from './otlp-protobuf.ts';
import { admitUrl } from '../util/outgoing.ts';

/** Rejects when the collector did not accept it. */
export type SendOtlp = (endpoint: URL, kind: OtlpKind, body: object) => Promise<void>;

const TIMEOUT_MS = 5_000;
const NO_ANSWER = `no answer within ${TIMEOUT_MS / 1_000} s`;

const SERVICES: Readonly<Record<OtlpKind, string>> = {
  logs: 'logs.v1.LogsService',
  metrics: 'metrics.v1.MetricsService',
  traces: 'trace.v1.TraceService',
};

export const sendOverHttp: SendOtlp = async (endpoint, kind, body) => {
  const address = new URL(`${endpoint.pathname.replace(/\/$/, '')}/v1/${kind}`, endpoint);
  admitUrl(address, 'telemetry');
  const { request } = await (address.protocol === 'https:' ? import('node:https') : import('node:http'));
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  await new Promise<void>((resolve, reject) => {
    const sent = request(address, { method: 'POST', headers, timeout: TIMEOUT_MS, agent: false }, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`the collector answered ${status}`));
    });
    sent.on('timeout', () => sent.destroy(new Error(NO_ANSWER)));
    sent.on('error', reject);
    sent.end(text);
  });
};

export const sendOverGrpc: SendOtlp = async (endpoint, kind, body) => {
  admitUrl(endpoint, 'telemetry');
  const { connect } = await import('node:http2');
  const message = toProtobuf(kind, body);
  // A gRPC frame: uncompressed flag, then the length.
  const frame = Buffer.concat([Buffer.alloc(5), message]);
  frame.writeUInt32BE(message.length, 1);
  const session = connect(endpoint.origin);
  try {
    await new Promise<void>((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({
        ':method': 'POST',
        ':path': `/opentelemetry.proto.collector.${SERVICES[kind]}/Export`,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const judge = (headers: IncomingHttpHeaders) => {
        const status = headers['grpc-status'];
        if (status === undefined) return;
        if (status.toString() === '0') resolve();
        else reject(new Error(`the collector answered gRPC status ${status.toString()}`));
      };
      stream.setTimeout(TIMEOUT_MS, () => reject(new Error(NO_ANSWER)));
      stream.on('error', reject);
      stream.on('response', judge);
      stream.on('trailers', judge);
      stream.on('end', () => reject(new Error('the collector ended the answer without a status')));
      stream.resume();
      stream.end(frame);
    });
  } finally {
    session.destroy();
  }
};
