/**
 * Encodes OTLP's JSON form as protobuf, by a table of field numbers, as gRPC requires. Only the fields that
 * otlp-json.ts writes are known; an unknown one is a bug and throws.
 */

type Kind = 'string' | 'hex' | 'bool' | 'varint' | 'fixed64' | 'double' | 'packed64' | 'packedDouble' | Message;
interface Message {
  [field: string]: [number: number, kind: Kind];
}

const anyValue: Message = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'varint'],
  doubleValue: [4, 'double'],
};
anyValue['arrayValue'] = [5, { values: [1, anyValue] }];
const keyValue: Message = { key: [1, 'string'], value: [2, anyValue] };
anyValue['kvlistValue'] = [6, { values: [1, keyValue] }];
const resource: Message = { attributes: [1, keyValue] };
const scope: Message = { name: [1, 'string'] };

const logRecord: Message = {
  timeUnixNano: [1, 'fixed64'],
  severityNumber: [2, 'varint'],
  severityText: [3, 'string'],
  body: [5, anyValue],
  attributes: [6, keyValue],
  observedTimeUnixNano: [11, 'fixed64'],
};

const numberPoint: Message = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  asDouble: [4, 'double'],
  attributes: [7, keyValue],
};
const histogramPoint: Message = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'packed64'],
  explicitBounds: [7, 'packedDouble'],
  attributes: [9, keyValue],
  min: [11, 'double'],
  max: [12, 'double'],
};
const metric: Message = {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  sum: [7, { dataPoints: [1, numberPoint], aggregationTemporality: [2, 'varint'], isMonotonic: [3, 'bool'] }],
  histogram: [9, { dataPoints: [1, histogramPoint], aggregationTemporality: [2, 'varint'] }],
};

const span: Message = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'varint'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, keyValue],
  status: [15, { message: [2, 'string'], code: [3, 'varint'] }],
};

const MESSAGES = {
  logs: {
    resourceLogs: [1, { resource: [1, resource], scopeLogs: [2, { scope: [1, scope], logRecords: [2, logRecord] }] }],
  },
  metrics: {
    resourceMetrics: [1, { resource: [1, resource], scopeMetrics: [2, { scope: [1, scope], metrics: [2, metric] }] }],
  },
  traces: { resourceSpans: [1, { resource: [1, resource], scopeSpans: [2, { scope: [1, scope], spans: [2, span] }] }] },
} satisfies Record<string, Message>;

export function toProtobuf(kind: keyof typeof MESSAGES, body: object): Buffer {
  return encodeMessage(body, MESSAGES[kind]);
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

function encodeMessage(value: object, message: Message): Buffer {
  const pieces: Buffer[] = [];
  for (const [name, content] of Object.entries(value)) {
    const field = message[name];
    if (!field) throw new TypeError(`OTLP has no field ${name} here.`);
    const [number, kind] = field;
    const isPacked = kind === 'packed64' || kind === 'packedDouble';
    const each: unknown[] = Array.isArray(content) && !isPacked ? content : [content];
    for (const item of each) pieces.push(...encodeField(number, kind, item));
  }
  return Buffer.concat(pieces);
}

function encodeField(number: number, kind: Kind, value: unknown): Buffer[] {
  const tag = (wire: number) => encodeVarint(BigInt((number << 3) | wire));
  const sized = (bytes: Buffer) => [tag(BYTES), encodeVarint(BigInt(bytes.length)), bytes];
  if (typeof kind === 'object') return sized(encodeMessage(value as object, kind));
  switch (kind) {
    case 'string':
      return sized(Buffer.from(String(value), 'utf8'));
    case 'hex':
      return sized(Buffer.from(String(value), 'hex'));
    case 'bool':
      return [tag(VARINT), encodeVarint(value ? 1n : 0n)];
    case 'varint':
      return [tag(VARINT), encodeVarint(BigInt.asUintN(64, BigInt(value as string | number)))];
    case 'fixed64':
      return [tag(FIXED64), encodeFixed64(value)];
    case 'double':
      return [tag(FIXED64), encodeDouble(value)];
    case 'packed64':
      return sized(Buffer.concat((value as unknown[]).map(encodeFixed64)));
    case 'packedDouble':
      return sized(Buffer.concat((value as unknown[]).map(encodeDouble)));
  }
}

function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function encodeFixed64(value: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value as string | number));
  return bytes;
}

function encodeDouble(value: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value as number);
  return bytes;
}
