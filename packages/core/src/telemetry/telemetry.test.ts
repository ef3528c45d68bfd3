import { answer, call, createWorkspace, fakeModel, say } from '@castor/testkit';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { createAgent } from '../agent/create-agent.ts';
import { defineTool } from '../tools/define-tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { openTelemetry } from './open-telemetry.ts';
import type { TelemetryPort, TelemetrySettings } from './open-telemetry.ts';

interface FileRecord {
  attributes?: Record<string, unknown>;
  scopeMetrics?: {
    metrics: { descriptor: { name: string }; dataPoints: { attributes: object; value: unknown }[] }[];
  }[];
  traceId?: string;
  id?: string;
  parentId?: string;
  name?: string;
}

const problems: string[] = [];
const open = (settings: TelemetrySettings) =>
  openTelemetry(settings, {
    sessionId: 'session-1',
    version: '1.2.3',
    interactive: false,
    authType: 'gemini-api-key',
    onProblem: (message) => void problems.push(message),
  });

/** One prompt with one call, reported to `telemetry`. */
async function runPrompt(telemetry: TelemetryPort): Promise<void> {
  await using model = await fakeModel([call('look', { at: 'the sky' }), say('It is blue.')]);
  const tools = new ToolRegistry();
  tools.register(
    defineTool({
      name: 'look',
      displayName: 'Look',
      kind: 'read',
      description: 'Looks.',
      describe: () => 'the sky',
      schema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
      execute: async () => ({ llmContent: 'blue', returnDisplay: 'blue' }),
    }),
  );
  const agent = createAgent({
    generator: createGeminiGenerator({ apiKey: 'key', baseUrl: model.url }),
    model: 'gemini-2.5-flash',
    sessionId: 'session-1',
    tempDirectory: '/nowhere',
    tools,
    telemetry,
  });
  const text = 'What colour?';
  for await (const event of agent.session.prompt([{ text }], new AbortController().signal, { text })) void event;
  await telemetry.shutdown();
}

const LONG = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');

/** The client's own door to compression, as a program that embeds core uses it. */
async function runCompression(telemetry: TelemetryPort, summary: string): Promise<void> {
  await using model = await fakeModel(() => (summary === '' ? answer() : say(summary)));
  const { client } = createAgent({
    generator: createGeminiGenerator({ apiKey: 'key', baseUrl: model.url }),
    model: 'gemini-2.5-flash',
    sessionId: 'session-1',
    tempDirectory: '/nowhere',
    history: ['user', 'model', 'user', 'model'].map((role) => ({ role, parts: [{ text: LONG }] })),
    telemetry,
  });
  await client.tryCompressChat('prompt-1', true, new AbortController().signal);
  await telemetry.shutdown();
}

function parseRecords(text: string): FileRecord[] {
  return text
    .split(/\n(?=\{)/)
    .filter((piece) => piece.trim() !== '')
    .map((piece) => JSON.parse(piece) as FileRecord);
}

describe('a compression a program asked for itself', () => {
  it.each([
    ['made the history smaller', '<state_snapshot>short</state_snapshot>', 'less'],
    ['did not', LONG.repeat(4), 'more'],
    ['gave no summary', '', 'as many'],
  ])('is recorded when it %s', async (_, summary, comparison) => {
    await using files = await createWorkspace();
    const outfile = join(files.root, 'telemetry.log');
    await runCompression((await open({ enabled: true, outfile }))!, summary);
    const records = parseRecords(await readFile(outfile, 'utf8')).flatMap(({ attributes }) =>
      attributes?.['event.name'] === 'gemini_cli.chat_compression' ? [attributes as Record<string, number>] : [],
    );
    const compared = records.map(({ tokens_before, tokens_after }) => Math.sign(tokens_after! - tokens_before!));
    expect(compared).toEqual([{ less: -1, more: 1, 'as many': 0 }[comparison]]);
  });
});

describe('telemetry', () => {
  it('is nothing at all unless it is switched on', async () => {
    expect(await open({ outfile: '/nowhere/telemetry.log' })).toBeUndefined();
  });

  it('writes logs, metrics and spans of a prompt into one file of the owner', async () => {
    await using files = await createWorkspace();
    const outfile = join(files.root, 'deep/telemetry.log');
    await runPrompt((await open({ enabled: true, traces: true, outfile }))!);
    const records = parseRecords(await readFile(outfile, 'utf8'));
    const logs = records.flatMap(({ attributes }) => (attributes?.['event.name'] ? [attributes] : []));
    expect(logs.map((log) => log['event.name'])).toEqual([
      'gemini_cli.user_prompt',
      'gemini_cli.model_routing',
      'gemini_cli.api_request',
      'gemini_cli.api_response',
      'gen_ai.client.inference.operation.details',
      'gemini_cli.tool_call',
      'gemini_cli.api_request',
      'gemini_cli.api_response',
      'gen_ai.client.inference.operation.details',
      'gemini_cli.conversation_finished',
    ]);
    expect(logs[0]).toMatchObject({
      'session.id': 'session-1',
      auth_type: 'gemini-api-key',
      interactive: false,
      prompt: 'What colour?',
      prompt_length: 12,
    });
    expect(logs[5]).toMatchObject({
      function_name: 'look',
      function_args: '{\n  "at": "the sky"\n}',
      success: true,
      decision: 'auto_accept',
      tool_type: 'native',
    });
    expect(logs[7]).toMatchObject({ model: 'gemini-2.5-flash', status_code: 200, response_text: 'It is blue.' });
    const metrics = records.flatMap(({ scopeMetrics }) => scopeMetrics?.flatMap((scope) => scope.metrics) ?? []);
    const calls = metrics.find(({ descriptor }) => descriptor.name === 'gemini_cli.tool.call.count');
    expect(calls?.dataPoints.map(({ value }) => value)).toEqual([1]);
    const spans = records.filter(({ traceId }) => traceId !== undefined);
    expect(spans.map(({ name }) => name)).toEqual([
      'chat gemini-2.5-flash',
      'execute_tool look',
      'chat gemini-2.5-flash',
      'invoke_agent castor',
    ]);
    const root = spans.at(-1)!;
    expect(spans.slice(0, 3).map(({ traceId, parentId }) => [traceId, parentId])).toEqual(
      Array.from({ length: 3 }, () => [root.traceId, root.id]),
    );
  });

  it('keeps words to itself when prompts are not to be logged', async () => {
    await using files = await createWorkspace();
    const outfile = join(files.root, 'telemetry.log');
    await runPrompt((await open({ enabled: true, logPrompts: false, outfile }))!);
    const text = await readFile(outfile, 'utf8');
    expect(text).toContain('gemini_cli.tool_call');
    for (const word of ['What colour?', 'the sky', 'It is blue.']) expect(text).not.toContain(word);
  });

  it('says once that the file cannot be written, and the prompt goes on', async () => {
    problems.length = 0;
    const telemetry = (await open({ enabled: true, outfile: '/dev/null/telemetry.log' }))!;
    await runPrompt(telemetry);
    expect(problems).toEqual([expect.stringContaining('Writing telemetry to /dev/null/telemetry.log')]);
  });

  it('sends the same to a collector over HTTP', async () => {
    const received = new Map<string, string>();
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.set(request.url ?? '', Buffer.concat(chunks).toString());
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const otlpEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await runPrompt((await open({ enabled: true, traces: true, otlpProtocol: 'http', otlpEndpoint }))!);
    server.close();
    expect([...received.keys()].toSorted()).toEqual(['/v1/logs', '/v1/metrics', '/v1/traces']);
    const logs = JSON.parse(received.get('/v1/logs')!) as {
      resourceLogs: { resource: { attributes: object[] }; scopeLogs: { logRecords: object[] }[] }[];
    };
    expect(logs.resourceLogs[0]!.resource.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'gemini-cli' },
    });
    expect(logs.resourceLogs[0]!.scopeLogs[0]!.logRecords).toHaveLength(10);
  });

  it('sends the same to a collector over gRPC, as well-formed protobuf', async () => {
    const received = new Map<string, Buffer>();
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.set(headers[':path'] ?? '', Buffer.concat(chunks));
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(Buffer.alloc(5));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const otlpEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    problems.length = 0;
    await runPrompt((await open({ enabled: true, traces: true, otlpEndpoint }))!);
    server.close();
    expect(problems).toEqual([]);
    expect([...received.keys()].toSorted()).toEqual([
      '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
      '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
      '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    ]);
    const frame = received.get('/opentelemetry.proto.collector.logs.v1.LogsService/Export')!;
    expect(frame.readUInt32BE(1)).toBe(frame.length - 5);
    // resourceLogs[0] → scopeLogs[0] → the log records, by their field numbers.
    const [resourceLogs] = fieldsOf(frame.subarray(5)).get(1)!;
    const [scopeLogs] = fieldsOf(resourceLogs!).get(2)!;
    const records = fieldsOf(scopeLogs!).get(2)!;
    const bodies = records.map((record) => fieldsOf(fieldsOf(record).get(5)![0]!).get(1)![0]!.toString());
    expect(bodies[0]).toBe('User prompt. Length: 12.');
    expect(bodies).toHaveLength(10);
  });

  it('says once that no collector answers, and the prompt goes on', async () => {
    problems.length = 0;
    await runPrompt((await open({ enabled: true, otlpEndpoint: 'http://127.0.0.1:1' }))!);
    expect(problems).toEqual([expect.stringContaining('Sending telemetry to http://127.0.0.1:1 over grpc')]);
  });

  it.each([
    [{ target: 'mars' }, 'telemetry.target must be local or gcp, not "mars".'],
    [{ otlpProtocol: 'pigeon' }, 'telemetry.otlpProtocol must be grpc or http, not "pigeon".'],
    [{ otlpEndpoint: 'collector' }, 'telemetry.otlpEndpoint must be an http or https address, not "collector".'],
  ])('refuses %j', async (settings, message) => {
    await expect(open({ enabled: true, ...settings })).rejects.toThrow(message);
  });
});

/** A protobuf message as bytes by field number; numbers are left out. */
function fieldsOf(bytes: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wire = tag & 7;
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else {
      const length = varint();
      const field = tag >> 3;
      fields.set(field, [...(fields.get(field) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}
