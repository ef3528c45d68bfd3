/** Converts signals to the JSON form of OTLP, grouped by kind of request. Pure. */

import type { Attributes, LogSignal, MetricPoint, MetricSignal, Resource, Signal, SpanSignal } from './signals.ts';

export type OtlpKind = 'logs' | 'metrics' | 'traces';

const SCOPE = { name: 'gemini-cli' };
const CUMULATIVE = 2;

/** One request body for each kind that is present. */
export function toOtlp(signals: readonly Signal[], resource: Resource): { kind: OtlpKind; body: object }[] {
  const about = { attributes: toAttributes(resource) };
  const logs = signals.filter((signal): signal is LogSignal => signal.kind === 'log').map(toLog);
  const metrics = signals.filter((signal): signal is MetricSignal => signal.kind === 'metric').map(toMetric);
  const spans = signals.filter((signal): signal is SpanSignal => signal.kind === 'span').map(toSpan);
  const requests: { kind: OtlpKind; body: object }[] = [];
  if (logs.length > 0) {
    const scopeLogs = [{ scope: SCOPE, logRecords: logs }];
    requests.push({ kind: 'logs', body: { resourceLogs: [{ resource: about, scopeLogs }] } });
  }
  if (metrics.length > 0) {
    const scopeMetrics = [{ scope: SCOPE, metrics }];
    requests.push({ kind: 'metrics', body: { resourceMetrics: [{ resource: about, scopeMetrics }] } });
  }
  if (spans.length > 0) {
    const scopeSpans = [{ scope: SCOPE, spans }];
    requests.push({ kind: 'traces', body: { resourceSpans: [{ resource: about, scopeSpans }] } });
  }
  return requests;
}

function toLog({ time, body, attributes }: LogSignal): object {
  return {
    timeUnixNano: toNanoseconds(time),
    observedTimeUnixNano: toNanoseconds(time),
    severityNumber: 9,
    severityText: 'INFO',
    body: { stringValue: body },
    attributes: toAttributes(attributes),
  };
}

function toMetric({ name, description, unit, startTime, time, points }: MetricSignal): object {
  const times = { startTimeUnixNano: toNanoseconds(startTime), timeUnixNano: toNanoseconds(time) };
  const dataPoints = points.map((point) => toPoint(point, times));
  const about = { name, description, unit };
  if (points.some((point) => 'count' in point)) {
    return { ...about, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  return { ...about, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

function toPoint(point: MetricPoint, times: object): object {
  const attributes = toAttributes(point.attributes);
  if (!('count' in point)) return { ...times, attributes, asDouble: point.sum };
  const { count, sum, min, max } = point;
  return {
    ...times,
    attributes,
    count: String(count),
    sum,
    min,
    max,
    bucketCounts: [String(count)],
    explicitBounds: [],
  };
}

function toSpan({ traceId, spanId, parentSpanId, name, startTime, endTime, attributes, error }: SpanSignal): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: 1,
    startTimeUnixNano: toNanoseconds(startTime),
    endTimeUnixNano: toNanoseconds(endTime),
    attributes: toAttributes(attributes),
    status: error === undefined ? { code: 1 } : { code: 2, message: error },
  };
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (isList(value)) return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  return { kvlistValue: { values: toAttributes(value) } };
}

/** `Array.isArray` does not distinguish a read-only list from a map. */
function isList(value: readonly string[] | Attributes): value is readonly string[] {
  return Array.isArray(value);
}

function toNanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}
